// Rollouts: each set of jobs that could start now is judged by simulating what EASY makes of it.
//
// This is one step of policy improvement by rollouts (Bertsekas and Castañon: "Rollout Algorithms for Stochastic
// Scheduling Problems", Journal of Heuristics 5, 1999): if the futures are the truth, the policy is no worse than its
// base, EASY in the given order. With a time, proposals, searches and futures end where it is used up; after k futures
// with all sets proposed, the decision is that of k futures without a time.
#pragma once
#include "judgement.hpp"
#include "proposals.hpp"

namespace planbatch {

struct RolloutSetting {
    std::shared_ptr<const QueueOrder> order;  // of the EASY that is simulated, and followed unless another start is better
    PlanSearch search;                        // for a plan whose start is another candidate; its objective is what futures cost
    std::size_t samples;                      // at most so many futures
    std::int64_t span;                        // for how long jobs come in a future (s)
    double confidence;                        // by so many standard errors a candidate has to be better than the base
    double seconds;                           // of each round; infinite for no limit
};

template <std::size_t K>
class Rollouts : public Policy {
  public:
    Rollouts(RolloutSetting setting, const Random& rng) : setting_(std::move(setting)), rng_(rng), proposals_(setting_.search, rng) {}

    Report decide(const Round& round, Decision decision) override {
        if (!any_fits(round)) return {};
        const Clock clock(setting_.seconds);
        ranking_.rank(*setting_.order, round.jobs, round.now);
        proposals_.make_all(round, ranking_.keys(), clock, candidates_);
        Report report;
        const std::size_t best = candidates_.size() > 1 ? judge(round, clock, report) : 0;
        for (std::size_t i = 0; i < round.jobs.size(); ++i)
            if (candidates_.set(best)[i]) decision.start[i] = round.now;
        return report;
    }

  private:
    RolloutSetting setting_;
    Random rng_;
    Proposals<K> proposals_;
    Candidates candidates_;
    Judgement<K> judgement_;
    Ranking ranking_;

    // Simulates one future after the other, as long as there is time for the longest so far.
    std::size_t judge(const Round& round, const Clock& clock, Report& report) {
        judgement_.begin(round, candidates_, ranking_.ranked());
        double longest = 0.0;
        while (judgement_.futures() < setting_.samples && clock.remaining() > longest) {
            const double began = clock.elapsed();
            judgement_.judge_in_a_future(round, *setting_.order, *setting_.search.objective, setting_.span, rng_);
            longest = std::max(longest, clock.elapsed() - began);
        }
        return judgement_.conclude(setting_.confidence, report);
    }
};

}  // namespace planbatch
