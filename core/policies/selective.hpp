// Selective reservation: a job gets one once its expansion factor (wait + walltime) / walltime exceeds a threshold.
// Reservations are kept, and improved after early ends, as in conservative backfilling. New ones take the earliest
// start, in the order of the queue; then jobs without one start if they fit now. Srinivasan, Kettimuthu, Subramani,
// Sadayappan: "Selective Reservation Strategies for Backfill Job Scheduling" (JSSPP 2002).
#pragma once
#include "../orders/ranking.hpp"
#include "standing_reservations.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class Selective : public Policy {
  public:
    Selective(std::shared_ptr<const QueueOrder> order, double factor) : order_(std::move(order)), factor_(factor) {
        if (std::isnan(factor)) throw std::invalid_argument("factor: not a number");
    }

    Report decide(const Round& round, Decision decision) override {
        const std::span<std::int64_t> plan = decision.start;
        const Order ranked = ranking_.rank(*order_, round.jobs, round.now);
        reservations_.take_over(round, ranked, plan);
        for (const JobNumber job : ranked) {
            const auto i = std::size_t(job);
            if (plan[i] == never && expansion(round, i) > factor_) reservations_.reserve(round, i, plan);
        }
        for (const JobNumber job : ranked) start_if_free(round, std::size_t(job), plan);
        for (std::int64_t& start : plan)
            if (start != never) start += round.now;
        return {};
    }

  private:
    std::shared_ptr<const QueueOrder> order_;
    double factor_;
    StandingReservations<K> reservations_;
    Ranking ranking_;

    static double expansion(const Round& round, std::size_t i) {
        const auto waited = double(round.now - round.jobs.submit[i]), walltime = double(round.jobs.walltime[i]);
        return (waited + walltime) / walltime;
    }
    void start_if_free(const Round& round, std::size_t i, std::span<std::int64_t> plan) {
        const auto demand = demand_of<K>(round, i);
        if (plan[i] != never || !reservations_.profile().fits_at(0, demand, round.jobs.walltime[i])) return;
        plan[i] = 0;
        reservations_.profile().place_at(0, demand, round.jobs.walltime[i]);
    }
};

}  // namespace planbatch
