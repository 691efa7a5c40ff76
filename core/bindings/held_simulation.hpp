// A simulation with all that it looks at.
#pragma once
#include <nanobind/stl/optional.h>

#include "../simulation/simulation.hpp"
#include "policy_kinds.hpp"
#include "python_history.hpp"

namespace planbatch {

class HeldSimulation {
  public:
    HeldSimulation(const nb::dict& workload, nb::object history, bool keeps_jobs, std::size_t users, std::size_t prediction,
                   std::int64_t corrector, bool guards_promises)
        : history_(std::move(history)) {
        std::vector<Ints> given;
        const auto take = [&](const char* name) -> Column {
            given.push_back(ints_of(workload[name], name));
            const auto same = [&](const Ints& other) { return other.data() == given.back().data() && other.size() == given.back().size(); };
            const auto first = std::size_t(std::find_if(given.begin(), given.end(), same) - given.begin());
            columns_.push_back(first + 1 < given.size() ? std::vector<std::int64_t>() : copy_of(given.back()));
            return columns_[first];
        };
        columns_.reserve(16);
        Workload w;
        w.capacities = take("capacities"), w.submit = take("submit"), w.procs = take("procs"), w.runtime = take("runtime");
        w.deadline = take("deadline"), w.user = take("user"), w.amounts = take("amounts"), w.walltime = take("walltime");
        w.occupied = take("occupied"), w.user_row = take("user_row"), w.slack = take("slack"), w.floor = take("floor");
        w.windows.start = take("window_start"), w.windows.end = take("window_end"), w.windows.amounts = take("window_amounts");
        w.window_known = take("window_known");
        check(w);
        Knowledge knowledge;
        if (!history_.is_none()) {
            knowledge.history = &nb::cast<const History&>(history_);
            if (prediction > knowledge.history->shape().columns) throw std::invalid_argument("prediction: no such column");
            if (w.user_row.size() != w.size()) throw std::invalid_argument("user_row: not one per job");
            for (const std::int64_t row : w.user_row)
                if (row < 0 || std::size_t(row) >= users) throw std::invalid_argument("user_row: no such user");
        } else if (prediction || keeps_jobs) {
            throw std::invalid_argument("prediction: there is no history");
        }
        if (corrector < 0 || corrector > std::int64_t(Corrector::doubling_beyond)) throw std::invalid_argument("corrector: no such number");
        knowledge.keeps_jobs = keeps_jobs, knowledge.users = users, knowledge.prediction = prediction;
        knowledge.corrector = Corrector(corrector), knowledge.guards_promises = guards_promises;
        width_ = w.width();
        simulation_.emplace(w, knowledge);
    }

    Status advance() {
        return without_gil([&] { return simulation_->advance(); });
    }
    Status run(const PolicyKind& kind, Generator generator, double seconds, std::size_t rounds) {
        if (!policy_) {
            kind_ = nb::find(kind), generator_ = std::move(generator);
            policy_ = kind.make(width_, random_of(generator_));
        }
        const GeneratorLock lock(generator_);
        const std::chrono::duration<double> time(seconds);
        return without_gil([&] { return simulation_->run(*policy_, std::chrono::duration_cast<std::chrono::steady_clock::duration>(time), rounds); });
    }
    Status commit(const Ints& start, const ArrayLike& notes, std::int64_t evaluations, double seed_cost, double cost) {
        std::vector<std::int64_t> plan = copy_of(start);
        const std::span<std::int64_t> noted = simulation_->notes();
        if (plan.size() != noted.size()) throw std::invalid_argument("plan: not one start per waiting job");
        if (!notes.is_none()) {
            const Ints given = ints_of(notes, "notes");
            if (given.size() != noted.size()) throw std::invalid_argument("notes: not one per waiting job");
            std::copy_n(given.data(), noted.size(), noted.begin());
        }
        return without_gil([&] { return simulation_->commit(plan, {seed_cost, cost, evaluations}); });
    }
    // The round at this moment: copies of its columns by the names of _core.Round, and the waiting jobs.
    nb::typed<nb::dict, nb::str, nb::any> round() {
        const Round r = simulation_->round();
        const auto copy = [](Column c) { return hand_over(std::vector<std::int64_t>(c.begin(), c.end())); };
        const auto table = [](Table<const std::int64_t> t) { return hand_over(std::vector<std::int64_t>(t.data, t.data + t.rows * t.columns), {t.rows, t.columns}); };
        const auto numbers = [](Table<const double> t) { return hand_over(std::vector<double>(t.data, t.data + t.rows * t.columns), {t.rows, t.columns}); };
        nb::dict d;
        d["now"] = r.now, d["ended_early"] = r.ended_early, d["capacities"] = copy(r.capacities);
        d["running_end"] = copy(r.running.end), d["running_amounts"] = table({r.running.amounts.data(), r.running.size(), r.width()});
        d["submit"] = copy(r.jobs.submit), d["walltime"] = copy(r.jobs.walltime), d["deadline"] = copy(r.jobs.deadline);
        d["latest"] = copy(r.jobs.latest), d["user"] = copy(r.jobs.user), d["amounts"] = table({r.jobs.amounts.data(), r.jobs.size(), r.width()});
        d["past"] = numbers(r.jobs.past), d["planned"] = copy(r.planned), d["occupied"] = copy(r.occupied);
        d["notes"] = copy(Column(simulation_->notes()));
        d["window_start"] = copy(r.windows.start), d["window_end"] = copy(r.windows.end);
        d["window_amounts"] = table({r.windows.amounts.data(), r.windows.size(), r.width()});
        d["history_rows"] = table(r.history.rows), d["history_past"] = numbers(r.history.past), d["history_running"] = copy(r.history.running);
        d["jobs"] = copy(simulation_->waiting_jobs());
        return d;
    }
    std::optional<FloatArray> memory() {
        Memory* memory = simulation_->memory();
        if (!memory) return std::nullopt;
        return numbers_out(memory->data(), memory->rows(), memory->width());
    }
    void set_memory(const Floats& numbers) {
        Memory* memory = simulation_->memory();
        if (!memory || numbers.size() != memory->rows() * memory->width()) throw std::invalid_argument("memory: another number of entries");
        std::copy_n(numbers.data(), numbers.size(), memory->data());
    }
    Simulation& simulation() { return *simulation_; }
    const nb::object& history() const { return history_; }
    const nb::object& kind() const { return kind_; }

  private:
    nb::object history_, kind_, generator_;  // the policy shares what its kind holds
    std::vector<std::vector<std::int64_t>> columns_;
    std::size_t width_ = 0;
    std::optional<Simulation> simulation_;
    std::unique_ptr<Policy> policy_;
};

}  // namespace planbatch
