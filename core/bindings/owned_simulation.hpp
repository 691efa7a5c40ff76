// A simulation with all that it looks at.
#pragma once
#include <nanobind/stl/optional.h>

#include "../simulation/simulation.hpp"
#include "policy_kinds.hpp"
#include "python_history.hpp"

namespace planbatch {

class OwnedSimulation {
  public:
    OwnedSimulation(const nb::dict& workload, nb::object history, bool keeps_jobs, std::size_t users, std::size_t prediction,
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
    Status commit(const Ints& start, const ArrayLike& policy_state, std::int64_t evaluations, double seed_cost, double cost) {
        std::vector<std::int64_t> plan = copy_of(start);
        const std::span<std::int64_t> stored = simulation_->policy_state();
        if (plan.size() != stored.size()) throw std::invalid_argument("plan: not one start per waiting job");
        if (!policy_state.is_none()) {
            const Ints given = ints_of(policy_state, "policy_state");
            if (given.size() != stored.size()) throw std::invalid_argument("policy_state: not one per waiting job");
            std::copy_n(given.data(), stored.size(), stored.begin());
        }
        return without_gil([&] { return simulation_->commit(plan, {seed_cost, cost, evaluations}); });
    }
    // The round at this moment: copies of its columns by the names of _core.Round, and the waiting jobs.
    nb::typed<nb::dict, nb::str, nb::any> round() {
        const Round r = simulation_->round();
        const auto rows = [&](Column amounts, std::size_t n) { return read_only(Table<const std::int64_t>{amounts.data(), n, r.width()}); };
        nb::dict d;
        d["now"] = r.now, d["ended_early"] = r.ended_early, d["capacities"] = read_only(r.capacities);
        d["running_end"] = read_only(r.running.end), d["running_amounts"] = rows(r.running.amounts, r.running.size());
        d["submit"] = read_only(r.jobs.submit), d["walltime"] = read_only(r.jobs.walltime), d["deadline"] = read_only(r.jobs.deadline);
        d["latest"] = read_only(r.jobs.latest), d["user"] = read_only(r.jobs.user), d["amounts"] = rows(r.jobs.amounts, r.jobs.size());
        d["past"] = read_only(r.jobs.past), d["planned"] = read_only(r.planned), d["occupied"] = read_only(r.occupied);
        d["policy_state"] = read_only(Column(simulation_->policy_state()));
        d["window_start"] = read_only(r.windows.start), d["window_end"] = read_only(r.windows.end);
        d["window_amounts"] = rows(r.windows.amounts, r.windows.size());
        d["history_rows"] = read_only(r.history.rows), d["history_past"] = read_only(r.history.past), d["history_running"] = read_only(r.history.running);
        d["jobs"] = read_only(simulation_->waiting_jobs());
        return d;
    }
    std::optional<FloatArray> history_state() {
        HistoryState* state = simulation_->history_state();
        if (!state) return std::nullopt;
        return copy_out(state->table());
    }
    void set_history_state(const Floats& numbers) {
        HistoryState* state = simulation_->history_state();
        if (!state || numbers.size() != state->table().entries().size()) throw std::invalid_argument("state: another number of entries");
        std::copy_n(numbers.data(), numbers.size(), state->table().data);
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
