// An order by fixed keys, one per job: EASY follows it in the simulations of candidates.
#pragma once
#include "../../orders/order.hpp"

namespace planbatch {

class FixedKeys : public QueueOrder {
  public:
    void give(Reals keys) { keys_.assign(keys.begin(), keys.end()); }
    void keys(const JobTable&, std::int64_t, std::vector<double>& keys) const override { keys = keys_; }

  private:
    std::vector<double> keys_;
};

}  // namespace planbatch
