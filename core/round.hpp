// One scheduling decision as the core sees it: views of columns that somebody else owns.
#pragma once
#include <stdexcept>
#include <string>

#include "demand.hpp"
#include "job_history.hpp"

namespace planbatch {

// The fewest processors that a job of each stretch of the queue needs, so that long queues need not be read job by job.
// If `least` is empty, any stretch may have a job that fits.
struct LeastProcs {
    static constexpr std::size_t stretch = 64;
    Column least;
    std::size_t lead = 0;  // so many jobs of the first stretch have left

    // Behind the last job of the stretch of a job.
    std::size_t end_of_stretch(std::size_t job) const { return (job + lead) / stretch * stretch + stretch - lead; }
    bool may_fit(std::size_t job, std::int64_t free) const { return least.empty() || least[(job + lead) / stretch] <= free; }
};

// The waiting jobs, in FCFS order. `amounts` has a row per job, processors first; of processors alone it is `procs`.
// `past` has what is known of the past of each job's user, if a history is kept.
struct JobTable {
    Column submit, procs, walltime, deadline, latest, user, amounts;
    Table<const double> past;
    LeastProcs least_procs = {};

    std::size_t size() const { return procs.size(); }
};

// The running jobs by expected end, which is after the round's `now`.
struct RunningTable {
    Column end, amounts;
    std::size_t size() const { return end.size(); }
};

// Windows in which a part of the machine is unavailable; `amounts` has a row per window.
struct Windows {
    Column start, end, amounts;
    std::size_t size() const { return start.size(); }
};

struct Round {
    std::int64_t now;
    Column capacities;  // of all resources, the processors first
    Column free;        // what running jobs leave of them at this moment; windows are not counted
    RunningTable running;
    JobTable jobs;
    Column planned;   // the starts in the plan of the round before, `never` for new jobs
    Column occupied;  // expected run times once started (s)
    Windows windows;
    bool ended_early;
    JobHistory history;

    std::size_t width() const { return capacities.size(); }
};

// What a waiting job takes of every resource.
template <std::size_t K>
Demand<K, std::int64_t> demand_of(const Round& round, std::size_t job) {
    return row_of<K>(round.jobs.amounts.data(), job, round.width());
}

// The latest end (s after now) that any plan of the round can have.
inline std::int64_t horizon(const Round& round) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < round.running.size(); ++i) last = std::max(last, round.running.end[i] - round.now);
    for (std::size_t w = 0; w < round.windows.size(); ++w) last = std::max(last, round.windows.end[w] - round.now);
    for (const std::int64_t walltime : round.jobs.walltime)
        if (__builtin_add_overflow(last, walltime, &last) || last > never)
            throw std::invalid_argument("walltimes: a plan of these jobs could end more than 2^60 s from now");
    return last;
}

// Whether a search of a round can count in 32 bits, which makes profiles half as large.
inline bool is_narrow(const Round& round) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return round.width() == 1 && horizon(round) < most && round.capacities[0] < most;
}

// Throws unless every window takes a part of the machine for a while. There is one row of amounts per window.
inline void check_windows(const Windows& windows, Column capacities) {
    const std::size_t width = capacities.size();
    for (std::size_t w = 0; w < windows.size(); ++w) {
        if (windows.start[w] < -never || windows.end[w] > never || windows.start[w] >= windows.end[w])
            throw std::invalid_argument("windows: one does not end after its start");
        for (std::size_t k = 0; k < width; ++k)
            if (const std::int64_t amount = windows.amounts[w * width + k]; amount < 0 || amount > capacities[k])
                throw std::invalid_argument("windows: one takes more than the machine has, or less than nothing");
    }
}

// Throws unless every job can run at some time, so that no search for a slot runs past the profile's end.
inline void check(const Round& round) {
    const std::size_t width = round.width(), n = round.jobs.size(), m = round.running.size();
    const auto length = [](const char* name, std::size_t entries, std::size_t expected) {
        if (entries != expected)
            throw std::invalid_argument(std::string(name) + ": " + std::to_string(entries) + " entries, not " +
                                        std::to_string(expected));
    };
    if (width == 0) throw std::invalid_argument("capacities: none");
    length("submit", round.jobs.submit.size(), n), length("walltime", round.jobs.walltime.size(), n);
    length("deadline", round.jobs.deadline.size(), n), length("latest", round.jobs.latest.size(), n);
    length("user", round.jobs.user.size(), n), length("amounts", round.jobs.amounts.size(), n * width);
    length("past", round.jobs.past.rows, n);
    length("planned", round.planned.size(), n), length("occupied", round.occupied.size(), n);
    length("free", round.free.size(), width), length("running amounts", round.running.amounts.size(), m * width);
    length("window end", round.windows.end.size(), round.windows.size());
    length("window amounts", round.windows.amounts.size(), round.windows.size() * width);
    for (std::size_t i = 0; i < n * width; ++i)
        if (round.jobs.amounts[i] < 0 || round.jobs.amounts[i] > round.capacities[i % width])
            throw std::invalid_argument("amounts: a job needs more than the machine has, or less than nothing");
    for (std::size_t i = 0; i < n; ++i) {
        if (round.jobs.amounts[i * width] != round.jobs.procs[i]) throw std::invalid_argument("amounts: not the processors");
        if (round.jobs.walltime[i] < 1) throw std::invalid_argument("walltime: less than a second");
        if (round.occupied[i] < 1 || round.occupied[i] > never) throw std::invalid_argument("occupied: less than a second, or beyond 2^60");
    }
    if (round.now < -2 * never || round.now > 2 * never) throw std::invalid_argument("now: beyond 2^61 seconds");
    for (const Column times : {round.jobs.submit, round.jobs.deadline, round.jobs.latest, round.planned})
        for (const std::int64_t time : times)
            if (time < -2 * never || time > 2 * never) throw std::invalid_argument("times: one is beyond 2^61 seconds");
    for (std::size_t i = 0; i < m; ++i) {
        if (round.running.end[i] <= round.now || round.running.end[i] > never) throw std::invalid_argument("running: an end is not after now");
        if (i && round.running.end[i] < round.running.end[i - 1]) throw std::invalid_argument("running: not in the order of the ends");
    }
    for (std::size_t k = 0; k < width; ++k) {
        if (round.capacities[k] < 0 || round.capacities[k] > never) throw std::invalid_argument("capacities: below 0 or beyond 2^60");
        std::int64_t used = 0;
        for (std::size_t i = 0; i < m; ++i) {
            const std::int64_t amount = round.running.amounts[i * width + k];
            if (amount < 0 || amount > round.capacities[k] - used) throw std::invalid_argument("running: more than the machine has");
            used += amount;
        }
        if (used != round.capacities[k] - round.free[k]) throw std::invalid_argument("free: not what the running jobs leave");
    }
    check_windows(round.windows, round.capacities);
    horizon(round);
}

}  // namespace planbatch
