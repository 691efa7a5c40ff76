// The jobs of one machine in FCFS order, what a replay knows of them, and its windows as they become known.
#pragma once
#include "../round.hpp"

namespace planbatch {

struct Workload {
    Column capacities;  // of all resources, the processors first
    Column submit, procs, runtime, deadline, user, amounts;
    Column walltime;   // what schedulers reckon with while a job waits (s): the request, unless run times are known
    Column occupied;   // what they reckon with once it runs (s)
    Column user_row;   // the row of the job's user in a history's state; empty without a history
    Column slack, floor;  // promise: max(first planned start + slack, floor); `never` slack for none; empty without promises
    Windows windows;
    Column window_known;

    std::size_t size() const { return submit.size(); }
    std::size_t width() const { return capacities.size(); }
    Column amounts_of(std::size_t job) const { return amounts.subspan(job * width(), width()); }
};

// Throws unless every job can run at some time and the columns are of one length.
inline void check(const Workload& w) {
    for (const Column column : {w.procs, w.walltime, w.occupied, w.runtime, w.deadline, w.user})
        if (column.size() != w.size()) throw std::invalid_argument("workload: columns differ in length");
    for (const Column column : {w.user_row, w.slack, w.floor})
        if (!column.empty() && column.size() != w.size()) throw std::invalid_argument("workload: columns differ in length");
    if (w.slack.size() != w.floor.size()) throw std::invalid_argument("workload: columns differ in length");
    if (w.width() == 0 || w.amounts.size() != w.size() * w.width()) throw std::invalid_argument("workload: amounts");
    for (const Column column : {w.windows.end, w.window_known})
        if (column.size() != w.windows.size()) throw std::invalid_argument("windows: columns differ in length");
    if (w.windows.amounts.size() != w.windows.size() * w.width()) throw std::invalid_argument("windows: amounts");
    check_windows(w.windows, w.capacities);
    for (std::size_t i = 1; i < w.window_known.size(); ++i)
        if (w.window_known[i] < w.window_known[i - 1]) throw std::invalid_argument("windows: not in the order in which they become known");
    for (std::size_t i = 0; i < w.amounts.size(); ++i)
        if (w.amounts[i] < 0 || w.amounts[i] > w.capacities[i % w.width()])
            throw std::invalid_argument("workload: a job needs more than the machine has, or less than nothing");
    for (const Column times : {w.deadline, w.slack, w.floor})
        for (const std::int64_t time : times)
            if (time < -2 * never || time > 2 * never) throw std::invalid_argument("workload: a deadline or a promise beyond 2^61 seconds");
    for (std::size_t i = 0; i < w.size(); ++i) {
        const auto is_duration = [](std::int64_t seconds) { return 1 <= seconds && seconds <= never / 4; };
        if (!is_duration(w.walltime[i]) || !is_duration(w.occupied[i]) || !is_duration(w.runtime[i]) || w.runtime[i] > std::max(w.walltime[i], w.occupied[i]))
            throw std::invalid_argument("workload: a job's walltime or run time");
        if (w.amounts[i * w.width()] != w.procs[i] || w.procs[i] < 1) throw std::invalid_argument("workload: a job's processors");
        if (w.submit[i] < -never / 4 || w.submit[i] > never / 4) throw std::invalid_argument("workload: a submit time");
        if (i && w.submit[i] < w.submit[i - 1]) throw std::invalid_argument("workload: not in FCFS order");
    }
}

}  // namespace planbatch
