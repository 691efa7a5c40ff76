// Users' functions in plain Python, as the core calls them: with columns that they may keep, and cannot change.
#pragma once
#include <algorithm>

#include "../objectives/objective.hpp"
#include "../orders/order.hpp"
#include "arrays.hpp"

namespace planbatch {

// What jobs take of the resources besides processors, a row per job.
inline std::vector<std::int64_t> demands_of(const JobTable& jobs) {
    const std::size_t n = jobs.size(), width = n ? jobs.amounts.size() / n : 1;
    std::vector<std::int64_t> demands;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 1; k < width; ++k) demands.push_back(jobs.amounts[i * width + k]);
    return demands;
}

// The waiting jobs as Python's JobTable: read-only copies.
inline nb::object python_jobs(const JobTable& jobs) {
    const std::size_t n = jobs.size();
    std::vector<std::int64_t> demands = demands_of(jobs);
    const std::size_t further = n ? demands.size() / n : 0;
    return nb::module_::import_("planbatch.planner.model").attr("JobTable")(
        read_only(jobs.submit), read_only(jobs.procs), read_only(jobs.walltime), read_only(jobs.deadline), read_only(jobs.latest),
        read_only(jobs.user), hand_over(std::move(demands), {n, further}), read_only(jobs.past));
}

// The same; it is made anew only if a column has changed since the last call.
class PythonJobs {
  public:
    // With the GIL held.
    nb::object of(const JobTable& jobs) {
        const Column columns[] = {jobs.submit, jobs.procs, jobs.walltime, jobs.deadline, jobs.latest, jobs.user, jobs.amounts};
        bool same = made_.is_valid() && std::ranges::equal(past_, jobs.past.entries(), same_bits);
        for (std::size_t c = 0; c < 7 && same; ++c) same = std::ranges::equal(columns_[c], columns[c]);
        if (!same) {
            for (std::size_t c = 0; c < 7; ++c) columns_[c].assign(columns[c].begin(), columns[c].end());
            past_.assign(jobs.past.entries().begin(), jobs.past.entries().end());
            made_ = python_jobs(jobs);
        }
        return made_;
    }

  private:
    std::vector<std::int64_t> columns_[7];
    std::vector<double> past_;
    nb::object made_;

    static bool same_bits(double a, double b) { return a == b || (a != a && b != b); }
};

// What a function asks for by its attribute `history`, a planbatch.planner.history.history.History.
inline std::shared_ptr<const History> history_of_function(const nb::object& function) {
    const nb::gil_scoped_acquire gil;
    const nb::object wanted = nb::getattr(function, "history", nb::none());
    if (wanted.is_none()) return nullptr;
    return nb::cast<std::shared_ptr<History>>(wanted.attr("core"));
}

// cost(start, jobs, now) -> float. What it raises ends the search.
class PythonObjective : public Objective {
  public:
    explicit PythonObjective(nb::object function) : function_(std::move(function)) {}
    auto arguments() const { return std::tie(function_); }
    std::vector<nb::object*> python_objects() { return {&function_}; }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        const nb::gil_scoped_acquire gil;
        return nb::cast<double>(function_(read_only(start), jobs_.of(jobs), now));
    }

  private:
    nb::object function_;
    mutable PythonJobs jobs_;  // only touched with the GIL held
};

// keys(jobs, now) -> float64 array.
class PythonOrder : public QueueOrder {
  public:
    explicit PythonOrder(nb::object function) : function_(std::move(function)) {}
    auto arguments() const { return std::tie(function_); }
    std::vector<nb::object*> python_objects() { return {&function_}; }
    std::shared_ptr<const History> history() const override { return history_of_function(function_); }
    void keys(const JobTable& jobs, std::int64_t now, std::vector<double>& keys) const override {
        const nb::gil_scoped_acquire gil;
        const auto found = floats_of(function_(jobs_.of(jobs), now));
        if (found.ndim() != 1) throw BadKeys("returned a table, not a key for each job");
        check_keys(reals(found), jobs.size());
        keys.assign(found.data(), found.data() + found.size());
    }

  private:
    nb::object function_;
    mutable PythonJobs jobs_;
};

}  // namespace planbatch
