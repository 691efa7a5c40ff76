// Response times, waits relative to lengths (slowdown and stretch), and the end of the plan.
#pragma once
#include "../user_history/expectation.hpp"
#include "wait.hpp"

namespace planbatch {

// (1/n) Σ (start + walltime − submit), in seconds.
inline double response_of(Column start, const JobTable& jobs, std::size_t i) { return double(start[i] + jobs.walltime[i] - jobs.submit[i]); }
using MeanResponse = MeanOf<response_of>;

// (1/n) Σ max(1, (wait + walltime) / max(walltime, 10 s)) (bounded slowdown: Feitelson et al. 1997).
inline double bounded_slowdown_of(Column start, const JobTable& jobs, std::size_t i) {
    return std::max(1.0, response_of(start, jobs, i) / double(std::max<std::int64_t>(jobs.walltime[i], 10)));
}
using MeanBoundedSlowdown = MeanOf<bounded_slowdown_of>;

// (1/n) Σ (wait + walltime) / walltime.
inline double stretch_of(Column start, const JobTable& jobs, std::size_t i) { return response_of(start, jobs, i) / double(jobs.walltime[i]); }
using MeanStretch = MeanOf<stretch_of>;

// (1/n) Σ wait · E[1 / max(run, 10 s)]: what waits are expected to add to the bounded slowdown.
inline double expected_slowdown_of(Column start, const JobTable& jobs, std::size_t i) { return wait_of(start, jobs, i) * expected_rate(jobs, i); }
class MeanExpectedSlowdown : public MeanOf<expected_slowdown_of> {
  public:
    std::shared_ptr<const History> history() const override { return std::make_shared<ExpectedRunTimes>(); }
};

// max (start + walltime) − now, in seconds (PLAN 3 of Zheng et al. 2016, Section IV-B).
class Makespan : public Objective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        std::int64_t last = now;
        for (std::size_t i = 0; i < start.size(); ++i) last = std::max(last, start[i] + jobs.walltime[i]);
        return double(last - now);
    }
    // Most moves leave the makespan as it is. Plans whose front is packed more densely are nearer to a shorter one: 20 times
    // the mean end of a unit of work.
    bool has_guide() const override { return true; }
    double guide(Column start, const JobTable& jobs, std::int64_t now) const override {
        double total = 0.0, area = 0.0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            const double own = double(jobs.procs[i]) * double(jobs.walltime[i]);
            total += own * double(start[i] + jobs.walltime[i] - now), area += own;
        }
        return area > 0.0 ? 20.0 * total / area : 0.0;
    }
    // Without waste that is the same for all orders; where jobs keep coming, those with short waits are better: twice the
    // mean start.
    double first_guide(Column start, const JobTable& jobs, std::int64_t now) const override {
        const double total = sum_of_whole_numbers(start.size(), [&](std::size_t i) { return double(start[i] - now); });
        return guide(start, jobs, now) + 2.0 * mean_of(total, start.size());
    }
};

}  // namespace planbatch
