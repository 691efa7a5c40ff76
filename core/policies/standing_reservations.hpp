// The reservations of the round before, taken over: what conservative backfilling and selective reservation share.
#pragma once
#include "../round_profile.hpp"
#include "../stable_order.hpp"
#include "advance.hpp"
#include "reservation_sweep.hpp"

namespace planbatch {

template <std::size_t K>
class StandingReservations {
  public:
    // Running jobs, windows and all reservations.
    Profile<K>& profile() { return profile_; }

    // Writes the reservations, in seconds from now, and the profile with them. If they no longer fit they are made
    // again; after an early end they move forward.
    void take_over(const Round& round, std::span<std::int64_t> start) {
        reserve_planned(round, start);
        if (round.ended_early) advance_.all(round, start, profile_);
    }
    // The same; `order` is the order in which they move forward.
    void take_over(const Round& round, Order order, std::span<std::int64_t> start) {
        reserve_planned(round, start);
        if (round.ended_early) advance_.in_order(round, order, start, profile_);
    }
    // Gives a job the earliest start.
    void reserve(const Round& round, std::size_t i, std::span<std::int64_t> start) {
        start[i] = profile_.time(profile_.place_earliest(demand_of<K>(round, i), round.jobs.walltime[i]));
    }

  private:
    Profile<K> base_, profile_;
    ReservationSweep<K> sweep_;
    Advance<K> advance_;
    StableSort sort_;
    std::vector<JobNumber> order_;

    void reserve_planned(const Round& round, std::span<std::int64_t> start) {
        bool fits = true;
        for (std::size_t i = 0; i < start.size(); ++i) {
            start[i] = round.planned[i] == never ? never : round.planned[i] - round.now;
            fits &= start[i] >= 0;
        }
        if (fits) {
            fill(round, base_);
            sweep_.subtract(round, start, base_, profile_);
        }
        if (!fits || profile_.overdrawn()) reserve_again(round, start);
    }
    // Gives every reservation, in the order of the starts, the earliest start that still fits.
    void reserve_again(const Round& round, std::span<std::int64_t> start) {
        fill(round, profile_, 2 * start.size());
        order_.resize(start.size());
        sort_(start.data(), order_);
        for (const JobNumber job : order_)
            if (start[std::size_t(job)] != never) reserve(round, std::size_t(job), start);
    }
};

}  // namespace planbatch
