// A round that owns its columns, checked when it is made: what Python hands to the core and cannot change afterwards.
#pragma once
#include "../plan_evaluator.hpp"
#include "arrays.hpp"

namespace planbatch {

struct OwnedRound {
    std::vector<std::int64_t> capacities, free, running_end, running_amounts;
    std::vector<std::int64_t> submit, procs, walltime, deadline, latest, user, amounts, planned, occupied, policy_state;
    std::vector<std::int64_t> window_start, window_end, window_amounts;
    std::vector<double> past;
    std::vector<std::int64_t> history_rows, history_running;
    std::vector<double> history_past;
    std::size_t past_columns = 0, history_jobs = 0;
    std::int64_t now = 0;
    bool ended_early = false;

    std::size_t size() const { return procs.size(); }
    Round view() const {
        const std::size_t rows = history_jobs;
        const auto columns = [rows](std::size_t entries) { return rows ? entries / rows : 0; };
        return {now, capacities, free, {running_end, running_amounts},
                {submit, procs, walltime, deadline, latest, user, amounts, {past.data(), size(), past_columns}},
                planned, occupied, {window_start, window_end, window_amounts}, ended_early,
                {{history_rows.data(), rows, columns(history_rows.size())}, {history_past.data(), rows, columns(history_past.size())}, history_running}};
    }
};

}  // namespace planbatch
