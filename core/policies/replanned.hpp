// Re-planned backfilling: the decoder on one fixed order, from scratch in every round; earlier reservations are not
// kept: the first plan of Zheng et al. 2016.
#pragma once
#include "../decoder.hpp"
#include "policy.hpp"
#include "queue.hpp"

namespace planbatch {

template <std::size_t K>
class Replanned : public Policy {
  public:
    explicit Replanned(std::shared_ptr<const QueueOrder> order) : order_(std::move(order)) {}

    Report decide(const Round& round, Decision decision) override {
        order_->keys(round.jobs, round.now, keys_);
        check_keys(keys_, round.jobs.size());
        permutation_.resize(round.jobs.size());
        sort_(keys_.data(), permutation_);
        decoder_.prepare(round);
        decoder_.decode(permutation_, decision.start);
        return {};
    }

  private:
    std::shared_ptr<const QueueOrder> order_;
    Decoder<K> decoder_;
    StableSort sort_;
    std::vector<JobNumber> permutation_;
    std::vector<double> keys_;
};

}  // namespace planbatch
