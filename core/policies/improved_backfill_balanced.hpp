// Improved Backfill Balanced (IBB): in one pass, all jobs that may pass the first blocked one, the pivot, and do not
// make the use of the resources less even: Algorithm 1 of "IBB: Improved K-Resource Aware Backfill Balanced Scheduling
// for HTCondor" (Liu, Luan, Wang, Qian, NPC 2016). The paper's `idle_res` and `extra` are what is free in the profile,
// in which the pivot has its reservation.
#pragma once
#include "head_of_queue.hpp"
#include "policy.hpp"
#include "utilisation.hpp"

namespace planbatch {

template <std::size_t K>
class ImprovedBackfillBalanced : public Policy {
  public:
    // With `as_printed`, a candidate is judged as Algorithm 1 is printed, by the average utilisation, which no job that
    // takes anything can keep from rising; rather than by inequality (2), as the text says.
    ImprovedBackfillBalanced(std::shared_ptr<const QueueOrder> order, bool as_printed) : queue_(std::move(order)), as_printed_(as_printed) {}

    Report decide(const Round& round, Decision decision) override {
        const auto waiting = queue_.start_and_reserve(round, decision.start);
        if (waiting.empty()) return {};
        used_.begin(round, decision.start);
        const double average = used_.mean();
        for (const std::size_t job : waiting) {
            if (!queue_.fits(round, job)) continue;
            used_.add(demand_of<K>(round, job));
            if (as_printed_ ? used_.mean_after() > average : worsens()) continue;
            queue_.backfill(round, job, decision.start);
            used_.keep();
        }
        return {};
    }

  private:
    HeadOfQueue<K> queue_;
    Utilisation used_;
    bool as_printed_;

    // Inequality (2), up to rounding.
    bool worsens() const { return used_.imbalance_after() > used_.imbalance() * (1.0 + 1e-12); }
};

}  // namespace planbatch
