// Relaxed backfilling: EASY in which a job may pass the head of the queue if that still starts soon enough.
//
// That is by s + ω · (s − submit) for the start s that the head could have without the job, and for the one that it
// could have in the first round in which it was blocked, which is stored, so that delays of many rounds do not add up.
// With ω = 0 it is EASY. Ward, Mahood, West: "Scheduling Jobs on Parallel Systems Using a Relaxed Backfill Strategy"
// (JSSPP 2002).
#pragma once
#include "head_of_queue.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class Relaxed : public Policy {
  public:
    Relaxed(std::shared_ptr<const QueueOrder> order, double omega) : queue_(std::move(order)), omega_(omega) {
        if (!(omega >= 0.0)) throw std::invalid_argument("omega: negative, or not a number");
    }

    Report decide(const Round& round, Decision decision) override {
        const std::size_t head = queue_.start(round, decision.start);
        if (head == none) return {};
        Profile<K>& profile = queue_.whole_profile(round);
        const std::int64_t first = earliest_start(round, profile, head);
        const std::int64_t soon = latest_start(first, round.jobs.submit[head]);
        if (decision.policy_state[head] == never) decision.policy_state[head] = soon;
        const std::int64_t limit = std::max(first, std::min(soon, decision.policy_state[head]));
        for (const std::size_t job : queue_.candidates(round)) {
            if (!queue_.fits(round, job)) continue;
            trial_.copy_from(profile, 1);
            trial_.place_at(0, demand_of<K>(round, job), round.jobs.walltime[job]);
            if (earliest_start(round, trial_, head) > limit) continue;
            decision.start[job] = round.now;
            std::swap(profile, trial_);
        }
        return {};
    }

  private:
    HeadOfQueue<K> queue_;
    double omega_;
    Profile<K> trial_;

    std::int64_t earliest_start(const Round& round, const Profile<K>& profile, std::size_t job) const {
        return round.now + profile.time(profile.earliest(demand_of<K>(round, job), round.jobs.walltime[job]));
    }
    // A start, later by a part of the wait until then.
    std::int64_t latest_start(std::int64_t start, std::int64_t submit) const {
        const double delay = omega_ * double(start - submit);
        return delay < double(never) ? start + std::int64_t(delay) : never;
    }
};

}  // namespace planbatch
