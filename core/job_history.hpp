// What is known, at a round, of every job submitted so far; for policies and scenarios that reckon with the past.
#pragma once
#include "numbers.hpp"

namespace planbatch {

struct JobHistory {
    // The columns of `rows`; behind them stand the demands on the resources besides processors.
    enum Entry : std::size_t { submit, procs, walltime, user, start, runtime, entries };
    static constexpr std::int64_t unknown = -1;  // the run time of a job that has not ended

    Table<const std::int64_t> rows;  // a row per job in FCFS order; none if no job history is kept
    Table<const double> past;        // what the user history said of each job while it waited
    Column running;                  // the rows of the running jobs, in their order

    bool kept() const { return rows.rows > 0; }
};

}  // namespace planbatch
