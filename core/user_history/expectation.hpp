// Expected run times, from how much of their requests a user's jobs took.
//
// The quotients run time / walltime of a user's last ended jobs are a distribution of those that wait; where too few
// have ended, those of the last jobs of all users.
#pragma once
#include <cmath>

#include "history.hpp"

namespace planbatch {

namespace expectation {

inline constexpr std::size_t own = 64, all = 1000;  // so many jobs are remembered, of one user and of all
inline constexpr double few = 5.0;                  // so many of a user have to have ended before they count alone
inline constexpr double shortest_run = 10.0;        // slowdowns count a shorter run time as this (s)
inline constexpr std::size_t quantiles = 16;        // kept behind the expectation by the history of run times

// Columns of the state: how many jobs have ended, and their quotients, the oldest overwritten first.
inline constexpr std::size_t ended = 1, quotients = 2;
// Columns of `past`: the expected run time (s), the expectation of 1 / max(run time, 10 s), and at how many ended jobs
// these were computed.
inline constexpr std::size_t run = 1, rate = 2, known = 3, columns = 4;

}  // namespace expectation

inline bool knows_expectation(const JobTable& jobs) {
    const std::size_t columns = jobs.past.columns;
    return columns == expectation::columns || columns == expectation::columns + expectation::quantiles;
}
// The expected run time of a job (s): its walltime if no history is kept.
inline double expected_run(const JobTable& jobs, std::size_t i) {
    return knows_expectation(jobs) ? jobs.past(i, expectation::run) : double(jobs.walltime[i]);
}
// The expectation of 1 / max(run time, 10 s) (1/s): by the walltime if no history is kept.
inline double expected_rate(const JobTable& jobs, std::size_t i) {
    if (knows_expectation(jobs)) return jobs.past(i, expectation::rate);
    return 1.0 / std::max(double(jobs.walltime[i]), expectation::shortest_run);
}

class ExpectedRunTimes : public History {
  public:
    ExpectedRunTimes() : ExpectedRunTimes(expectation::quotients + expectation::all, expectation::columns - 1) {}

    void update(std::span<const Event> events, HistoryState& state, const JobTable& jobs, Table<double> past, std::int64_t) const override {
        remember(events, state);
        std::size_t last = none;  // the job before, for which this was computed: jobs come in bursts of equal ones
        for (std::size_t i = 0; i < jobs.size(); ++i)
            if (update_job(state, jobs, past, i, last)) last = i;
    }

  protected:
    ExpectedRunTimes(std::size_t width, std::size_t columns) : History({width, columns}) {}

    static bool counts_alone(std::span<const double> row) { return row[expectation::ended] >= expectation::few; }

  private:
    static void remember(std::span<const Event> events, HistoryState& state) {
        for (const Event& event : events) {
            if (event.kind != Event::ended) continue;
            const double quotient = double(event.runtime) / double(event.walltime);
            add(state.row(std::size_t(event.user)), quotient, expectation::own);
            add(state.machine(), quotient, expectation::all);
        }
    }
    static void add(std::span<double> row, double quotient, std::size_t most) {
        row[expectation::quotients + std::size_t(row[expectation::ended]) % most] = quotient;
        row[expectation::ended] += 1.0;
    }

    // Returns whether what is known of the job's user has changed.
    static bool update_job(HistoryState& state, const JobTable& jobs, Table<double> past, std::size_t i, std::size_t last) {
        using namespace expectation;
        const std::span<double> mine = past.row(i), row = state.row(std::size_t(mine[0])), everybody = state.machine();
        const bool alone = counts_alone(row);
        const double count = alone ? row[ended] : -1.0 - everybody[ended];
        if (mine[known] == count) return false;
        mine[known] = count;
        if (last != none && jobs.walltime[last] == jobs.walltime[i] && past(last, known) == count && (!alone || past(last, 0) == mine[0])) {
            mine[run] = past(last, run), mine[rate] = past(last, rate);
        } else {
            expect(alone ? row : everybody, alone ? own : all, double(jobs.walltime[i]), mine);
        }
        return true;
    }
    static void expect(std::span<const double> row, std::size_t most, double walltime, std::span<double> past) {
        using namespace expectation;
        const std::size_t count = std::min(std::size_t(row[ended]), most);
        if (count == 0) {
            past[run] = walltime, past[rate] = 1.0 / std::max(walltime, shortest_run);
            return;
        }
        double runs = 0.0, rates = 0.0;
        for (std::size_t k = 0; k < count; ++k) {
            const double one = row[quotients + k] * walltime;
            runs += one;
            rates += 1.0 / std::max(one, shortest_run);
        }
        past[run] = runs / double(count), past[rate] = rates / double(count);
    }
};

}  // namespace planbatch
