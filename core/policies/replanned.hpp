// Re-planned backfilling: the decoder on one fixed order, from scratch in every round; earlier reservations are not
// kept: the first plan of Zheng et al. 2016.
#pragma once
#include "../decoder.hpp"
#include "../orders/ranking.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class Replanned : public Policy {
  public:
    explicit Replanned(std::shared_ptr<const QueueOrder> order) : order_(std::move(order)) {}

    Report decide(const Round& round, Decision decision) override {
        decoder_.prepare(round);
        decoder_.decode(ranking_.rank(*order_, round.jobs, round.now), decision.start);
        return {};
    }

  private:
    std::shared_ptr<const QueueOrder> order_;
    Decoder<K> decoder_;
    Ranking ranking_;
};

}  // namespace planbatch
