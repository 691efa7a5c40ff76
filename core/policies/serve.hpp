// The queue in its order, without reservations: the first job that does not fit blocks the others (FCFS), or is passed
// over and may starve. HTCondor's dedicated scheduler calls the latter "Best-fit" (Liu et al., NPC 2016, Section 1).
#pragma once
#include "head_of_queue.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class Serve : public Policy {
  public:
    Serve(std::shared_ptr<const QueueOrder> order, bool passes_blocked) : queue_(std::move(order)), passes_blocked_(passes_blocked) {}

    Report decide(const Round& round, Decision decision) override {
        if (!any_fits(round)) return {};
        const std::size_t blocked = queue_.start(round, decision.start);
        if (!passes_blocked_ || blocked == none) return {};
        for (const std::size_t job : queue_.candidates(round))
            if (queue_.fits(round, job)) queue_.backfill(round, job, decision.start);
        return {};
    }

  private:
    HeadOfQueue<K> queue_;
    bool passes_blocked_;
};

}  // namespace planbatch
