// Conservative backfilling that keeps its reservations: improves them in FCFS order after an early end, then admits
// new jobs (Feitelson and Weil, IPPS 1998; Mu'alem and Feitelson, TPDS 2001).
#pragma once
#include "standing_reservations.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class Conservative : public Policy {
  public:
    Report decide(const Round& round, Decision decision) override {
        const std::span<std::int64_t> plan = decision.start;
        reservations_.take_over(round, plan);
        for (std::size_t i = 0; i < plan.size(); ++i)
            if (plan[i] == never) reservations_.reserve(round, i, plan);
        for (std::int64_t& start : plan) start += round.now;
        return {};
    }

  private:
    StandingReservations<K> reservations_;
};

}  // namespace planbatch
