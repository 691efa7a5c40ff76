// Jobs in the order of the queue: the one with the smallest key first; equal keys keep FCFS order.
#pragma once
#include "../stable_order.hpp"
#include "order.hpp"

namespace planbatch {

class Ranking {
  public:
    // Throws unless the order gives each job a key that is a number.
    Order rank(const QueueOrder& order, const JobTable& jobs, std::int64_t now) {
        order.keys(jobs, now, keys_);
        check_keys(keys_, jobs.size());
        ranked_.resize(keys_.size());
        sort_(keys_.data(), ranked_);
        return ranked_;
    }
    Reals keys() const { return keys_; }
    Order ranked() const { return ranked_; }

  private:
    StableSort sort_;
    std::vector<double> keys_;
    std::vector<JobNumber> ranked_;
};

}  // namespace planbatch
