// Scenarios: what the jobs of a round could turn out to take, drawn once, so that all plans are judged in the same ones.
//
// Levels (run_time_at) are drawn for jobs. Half of the time, all jobs of one user with one walltime share theirs, since
// such jobs often are of one kind and end alike.
#pragma once
#include <algorithm>
#include <numeric>

#include "random.hpp"
#include "round.hpp"
#include "user_history/run_times.hpp"

namespace planbatch {

// A level from 0 to 1 that all jobs of a user with a walltime have in one scenario.
inline double shared_level(std::int64_t user, std::int64_t walltime, std::int64_t salt) {
    auto mixed = std::uint64_t(user + 2) * 0x9E3779B97F4A7C15u;
    mixed ^= std::uint64_t(walltime) * 0xC2B2AE3D27D4EB4Fu;
    mixed ^= std::uint64_t(salt) * 0x165667B19E3779F9u;
    mixed ^= mixed >> 29;
    mixed *= 0xBF58476D1CE4E5B9u;
    mixed ^= mixed >> 32;
    return double(mixed >> 11) / 9007199254740992.0;  // 2^53
}
inline double draw_level(std::int64_t user, std::int64_t walltime, std::int64_t salt, Random& rng) {
    return rng.draw() < 0.5 ? shared_level(user, walltime, salt) : rng.draw();
}

// Draws the ends of the running jobs (as expected if no job history is kept), and behind them the run times of `jobs`.
// The jobs from `waiting` on are jobs to come, modelled after the rows `models` of the job history: one that has ended
// gives its run time.
inline void draw_run_times(const Round& round, const JobTable& jobs, std::size_t waiting, Column models, Random& rng,
                           std::vector<std::int64_t>& drawn) {
    const JobHistory& history = round.history;
    const std::size_t m = round.running.size();
    drawn.resize(m + jobs.size());
    const std::int64_t salt = rng.draw_31_bits();
    for (std::size_t i = 0; i < m; ++i) {
        drawn[i] = round.running.end[i];
        if (!history.kept()) continue;
        const auto job = std::size_t(history.running[i]);
        const auto row = history.rows.row(job);
        const double level = draw_level(row[JobHistory::user], row[JobHistory::walltime], salt, rng);
        const std::int64_t start = row[JobHistory::start];
        drawn[i] = start + run_time_at(history.past.row(job), row[JobHistory::walltime], level, round.now - start);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        std::int64_t run = JobHistory::unknown;
        if (i >= waiting) run = history.rows(std::size_t(models[i - waiting]), JobHistory::runtime);
        if (run == JobHistory::unknown) {
            const double level = draw_level(jobs.user[i], jobs.walltime[i], salt, rng);
            run = run_time_at(jobs.past.row(i), jobs.walltime[i], level, 0);
        }
        drawn[m + i] = run;
    }
}

// A drawn time to three binary digits behind the first, so within 7 %; at most `most`, which stays exact. Times that
// are multiples of large powers of two have common ends: profiles have fewer breakpoints.
inline std::int64_t rounded_off(std::int64_t seconds, std::int64_t most) {
    if (seconds >= most) return most;
    std::int64_t unit = 1;
    while (seconds >= 16 * unit) unit *= 2;
    return std::min((seconds + unit / 2) / unit * unit, most);
}

class Scenarios {
  public:
    // `risk`: the share of the scenarios, the cheapest ones, that does not count.
    static Scenarios draw(const Round& round, std::size_t count, double risk, Random& rng) {
        Scenarios scenarios;
        scenarios.risk_ = risk;
        std::vector<std::int64_t> drawn;
        for (std::size_t k = 0; k < count; ++k) {
            draw_run_times(round, round.jobs, round.jobs.size(), {}, rng, drawn);
            scenarios.all_.push_back(scenario_of(round, drawn));
        }
        return scenarios;
    }

    std::size_t size() const { return all_.size(); }
    // Throws unless these are scenarios of such a round: of its running and waiting jobs, at its time.
    void check(const Round& round) const {
        for (const Scenario& scenario : all_) {
            bool same = scenario.run.size() == round.jobs.size() && scenario.end.size() == round.running.size() && scenario.amounts.size() == round.running.amounts.size();
            for (std::size_t i = 0; same && i < scenario.run.size(); ++i) same = scenario.run[i] <= round.jobs.walltime[i];
            for (const std::int64_t end : scenario.end) same = same && end > round.now;
            std::vector<std::int64_t> used(round.width(), 0);
            for (std::size_t i = 0; same && i < scenario.amounts.size(); ++i) used[i % round.width()] += scenario.amounts[i];
            for (std::size_t k = 0; same && k < used.size(); ++k) same = used[k] == round.capacities[k] - round.free[k];
            if (!same) throw std::invalid_argument("scenarios: drawn for another round");
        }
    }
    // The round if jobs take what scenario k says.
    Round round(const Round& round, std::size_t k) const {
        Round other = round;
        other.running = {all_[k].end, all_[k].amounts};
        other.jobs.walltime = all_[k].run;
        return other;
    }
    // The same scenarios of some of the waiting jobs, in their order.
    Scenarios of_jobs(Order which) const {
        Scenarios some = *this;
        for (std::size_t k = 0; k < size(); ++k) {
            some.all_[k].run.resize(which.size());
            for (std::size_t i = 0; i < which.size(); ++i) some.all_[k].run[i] = all_[k].run[std::size_t(which[i])];
        }
        return some;
    }
    // The mean of the most expensive (1 − risk) · K of K costs, which are sorted; the last counts in part: the
    // conditional value at risk (Rockafellar and Uryasev, Journal of Risk 2, 2000).
    double mean_of_worst(std::span<double> costs) const {
        std::sort(costs.begin(), costs.end(), std::greater<>());
        const double left = (1.0 - risk_) * double(costs.size());
        double total = 0.0;
        for (std::size_t i = 0; i < costs.size(); ++i) total += std::min(1.0, std::max(0.0, left - double(i))) * costs[i];
        return total / left;
    }

  private:
    struct Scenario {
        std::vector<std::int64_t> run;           // of the waiting jobs (s)
        std::vector<std::int64_t> end, amounts;  // of the running jobs, by end
    };
    std::vector<Scenario> all_;
    double risk_ = 0.0;

    static Scenario scenario_of(const Round& round, std::vector<std::int64_t>& drawn) {
        const std::size_t m = round.running.size(), width = round.width();
        for (std::size_t i = 0; i < m; ++i) drawn[i] = round.now + rounded_off(drawn[i] - round.now, round.running.end[i] - round.now);
        std::vector<std::size_t> by_end(m);
        std::iota(by_end.begin(), by_end.end(), std::size_t{0});
        std::stable_sort(by_end.begin(), by_end.end(), [&](std::size_t a, std::size_t b) { return drawn[a] < drawn[b]; });
        Scenario scenario;
        for (const std::size_t i : by_end) {
            scenario.end.push_back(drawn[i]);
            const auto row = round.running.amounts.subspan(i * width, width);
            scenario.amounts.insert(scenario.amounts.end(), row.begin(), row.end());
        }
        for (std::size_t i = 0; i < round.jobs.size(); ++i) scenario.run.push_back(rounded_off(drawn[m + i], round.jobs.walltime[i]));
        return scenario;
    }
};

}  // namespace planbatch
