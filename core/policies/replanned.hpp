// Re-planned backfilling: the decoder on one fixed order, from scratch in every round; earlier reservations are not
// kept: the first plan of Zheng et al. 2016.
#pragma once
#include "../decoder.hpp"
#include "../orders/ranking.hpp"
#include "last_plan.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class Replanned : public Policy {
  public:
    explicit Replanned(std::shared_ptr<const QueueOrder> order) : order_(std::move(order)) {}

    Report decide(const Round& round, Decision decision) override {
        const Order order = ranking_.rank(*order_, round.jobs, round.now);
        fill(round, free_);
        if (!last_.continues(round, order, free_, decision.start)) {
            decoder_.prepare(round);
            decoder_.decode(order, decision.start);
            last_.begin(round, decoder_.profile());
        }
        last_.expect(round, order, free_, decision.start);
        return {};
    }

  private:
    std::shared_ptr<const QueueOrder> order_;
    Decoder<K> decoder_;
    Ranking ranking_;
    Profile<K> free_;
    LastPlan<K> last_;
};

}  // namespace planbatch
