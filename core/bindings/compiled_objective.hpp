// A user's objective as machine code: a C function that fills in the cost and returns 0, or 1 if it raised.
#pragma once
#include "python_calls.hpp"

namespace planbatch {

class CompiledObjective : public Objective {
  public:
    // The columns are those of JobTable; `further` counts the resources besides processors, `columns` those of the past.
    using Function = std::int64_t (*)(const std::int64_t* start, const std::int64_t* submit, const std::int64_t* procs, const std::int64_t* walltime,
                                      const std::int64_t* deadline, const std::int64_t* latest, const std::int64_t* user,
                                      const std::int64_t* demands, const double* past, std::int64_t jobs, std::int64_t further,
                                      std::int64_t columns, std::int64_t now, double* cost);

    // `address` is that of such a function, which `owner` keeps alive. `plain` is the same in Python: where the function
    // raised, or returned no finite number, it says what. `maker` and its arguments make this again, in another process.
    CompiledObjective(std::uintptr_t address, nb::object owner, nb::object plain, nb::object maker, nb::tuple arguments)
        : function_(reinterpret_cast<Function>(address)), owner_(std::move(owner)), plain_(std::move(plain)), maker_(std::move(maker)), arguments_(std::move(arguments)) {
        if (!address) throw std::invalid_argument("address: of no function");
    }
    const nb::object& maker() const { return maker_; }
    std::vector<nb::object*> python_objects() { return {&owner_, &plain_, &maker_, &arguments_}; }
    const nb::tuple& arguments() const { return arguments_; }
    std::shared_ptr<const History> history() const override { return history_of_function(plain_); }

    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        const std::vector<std::int64_t> demands = demands_of(jobs);
        const std::size_t n = jobs.size(), further = n ? demands.size() / n : 0;
        double cost = not_a_number;
        const std::int64_t failed = function_(start.data(), jobs.submit.data(), jobs.procs.data(), jobs.walltime.data(), jobs.deadline.data(), jobs.latest.data(),
                                              jobs.user.data(), demands.data(), jobs.past.data, std::int64_t(n), std::int64_t(further),
                                              std::int64_t(jobs.past.columns), now, &cost);
        return failed || !std::isfinite(cost) ? plain_cost(start, jobs, now) : cost;
    }

  private:
    Function function_;
    nb::object owner_, plain_, maker_;
    nb::tuple arguments_;

    double plain_cost(Column start, const JobTable& jobs, std::int64_t now) const {
        const nb::gil_scoped_acquire gil;
        return nb::cast<double>(plain_(read_only(start), python_jobs(jobs), now));
    }
};

}  // namespace planbatch
