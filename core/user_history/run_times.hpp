// Distributions of run times, from how much of their requests a user's jobs took; scenarios are drawn from them.
#pragma once
#include "expectation.hpp"

namespace planbatch {

// Writes the columns of the expectation, and behind them quantiles of the same quotients run time / walltime.
class RunTimes : public ExpectedRunTimes {
  public:
    static constexpr std::size_t first_quantile = expectation::columns;  // the column; the k-th is at (k + ½) / quantiles

    RunTimes() : ExpectedRunTimes(table + expectation::quantiles, expectation::columns - 1 + expectation::quantiles) {}

    void update(std::span<const Event> events, HistoryState& state, const JobTable& jobs, Table<double> past, std::int64_t now) const override {
        std::vector<double> before(jobs.size());
        for (std::size_t i = 0; i < before.size(); ++i) before[i] = past(i, expectation::known);
        ExpectedRunTimes::update(events, state, jobs, past, now);
        for (std::size_t i = 0; i < before.size(); ++i)
            if (past(i, expectation::known) != before[i]) write_quantiles(state, past.row(i));
    }

  private:
    static constexpr double refresh = 16.0;  // everybody's quantiles are taken anew after so many ends
    // Columns of the state: at how many ended jobs the quantiles were taken, and these.
    static constexpr std::size_t taken = expectation::quotients + expectation::all, table = taken + 1;

    static void write_quantiles(HistoryState& state, std::span<double> past) {
        using namespace expectation;
        std::span<double> row = state.row(std::size_t(past[0]));
        const bool alone = counts_alone(row);
        if (!alone) row = state.machine();
        if (row[ended] == 0.0) {
            std::fill_n(past.begin() + first_quantile, quantiles, 1.0);
            return;
        }
        const double count = alone ? row[ended] : std::floor(row[ended] / refresh) + 1.0;
        if (row[taken] != count) take_quantiles(row, alone ? own : all, count);
        std::copy_n(row.begin() + table, quantiles, past.begin() + first_quantile);
    }
    static void take_quantiles(std::span<double> row, std::size_t most, double count) {
        using namespace expectation;
        const std::size_t n = std::min(std::size_t(row[ended]), most);
        std::vector<double> ascending(row.begin() + quotients, row.begin() + std::ptrdiff_t(quotients + n));
        std::sort(ascending.begin(), ascending.end());
        for (std::size_t k = 0; k < quantiles; ++k) row[table + k] = ascending[std::size_t((double(k) + 0.5) * double(n) / quantiles)];
        row[taken] = count;
    }
};

// The quotient run time / walltime of a job at a level from 0 to 1, linear between the quantiles; 1 if no history is
// kept: then a job is taken to use its whole request.
inline double quotient_at(std::span<const double> past, double level) {
    using expectation::quantiles;
    if (past.size() < RunTimes::first_quantile + quantiles) return 1.0;
    const double place = level * double(quantiles) - 0.5;
    const auto k = std::size_t(std::min(std::max(std::int64_t(std::floor(place)), std::int64_t{0}), std::int64_t(quantiles) - 2));
    const double low = past[RunTimes::first_quantile + k], high = past[RunTimes::first_quantile + k + 1];
    return low + (high - low) * std::min(std::max(place - double(k), 0.0), 1.0);
}

// The share of runs that take no more than this quotient of their request: the level at which it stands.
inline double level_of(std::span<const double> past, double quotient) {
    using expectation::quantiles;
    if (past.size() < RunTimes::first_quantile + quantiles || quotient < past[RunTimes::first_quantile]) return 0.0;
    for (std::size_t k = quantiles; k-- > 0;) {
        const double low = past[RunTimes::first_quantile + k];
        if (!(low <= quotient)) continue;
        if (k == quantiles - 1) return 1.0;
        const double high = past[RunTimes::first_quantile + k + 1];
        return (double(k) + 0.5 + (quotient - low) / std::max(high - low, 1e-12)) / double(quantiles);
    }
    return 0.0;
}

// The run time of a job (s) at a level, given that it has run for `elapsed` seconds and not ended: at least
// elapsed + 1, at most the walltime. The levels of the runs that would have ended are left out.
inline std::int64_t run_time_at(std::span<const double> past, std::int64_t walltime, double level, std::int64_t elapsed) {
    const std::int64_t most = std::max(walltime, elapsed + 1);
    const double gone = elapsed > 0 ? level_of(past, double(elapsed) / double(walltime)) : 0.0;
    const std::int64_t run = gone < 1.0 ? std::int64_t(quotient_at(past, gone + (1.0 - gone) * level) * double(walltime))
                                        : elapsed + std::int64_t(level * double(most - elapsed));
    return std::min(std::max(run, elapsed + 1), most);
}

}  // namespace planbatch
