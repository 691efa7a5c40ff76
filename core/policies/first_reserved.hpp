// Backfilling around reservations for the first so many blocked jobs, made anew in every round. With one it is EASY,
// with as many as there are jobs re-planned backfilling. The depth of reservations is a parameter of the schedulers Maui
// and Moab (Jackson, Snell, Clement, JSSPP 2001).
#pragma once
#include "../round_profile.hpp"
#include "policy.hpp"
#include "queue.hpp"

namespace planbatch {

template <std::size_t K>
class FirstReserved : public Policy {
  public:
    FirstReserved(std::shared_ptr<const QueueOrder> order, std::size_t reservations) : queue_(std::move(order)), reservations_(reservations) {
        if (reservations < 1) throw std::invalid_argument("reservations: 0 is no positive number of jobs");
    }

    Report decide(const Round& round, Decision decision) override {
        if (!any_fits(round)) return {};
        queue_.begin(round);
        fill(round, profile_, 2 * decision.start.size());
        reserve_first(round, decision.start);
        const auto fits_now = [&](std::size_t job) { return profile_.covers(0, demand_of<K>(round, job)); };
        for (const std::size_t job : queue_.candidates(fits_now))
            if (fits(round, job)) start(round, job, round.jobs.walltime[job], decision.start);
        return {};
    }

  private:
    Queue queue_;
    Profile<K> profile_;
    std::size_t reservations_;

    bool fits(const Round& round, std::size_t job) const { return profile_.fits_at(0, demand_of<K>(round, job), round.jobs.walltime[job]); }
    void start(const Round& round, std::size_t job, std::int64_t seconds, std::span<std::int64_t> plan) {
        plan[job] = round.now;
        profile_.place_at(0, demand_of<K>(round, job), seconds);
    }
    // Starts jobs in the order of the queue, or reserves for them, until there are as many reservations as there may be.
    void reserve_first(const Round& round, std::span<std::int64_t> plan) {
        std::size_t reserved = 0;
        for (const std::size_t job : queue_.candidates_by_head([](std::size_t) { return true; })) {
            if (reserved == reservations_) return;
            queue_.take(job);
            if (fits(round, job)) {
                start(round, job, reserved ? round.jobs.walltime[job] : round.occupied[job], plan);
            } else {
                profile_.place_earliest(demand_of<K>(round, job), round.jobs.walltime[job]);
                ++reserved;
            }
        }
    }
};

}  // namespace planbatch
