// The two queues of deadline-based backfilling: jobs with definitive reservations, and jobs with tentative ones.
//
// A waiting job is in one of two queues (N'takpé and Suter, JSSPP 2017, Section 4). The reservations in L₀ are
// definitive: they only ever move forward. Those in L₁ belong to jobs with a deadline, and may be laid out again as long
// as the deadline holds. Per job the policy stores the latest end up to which it may be delayed; of a job in L₀ it
// stores `never`, or −1 − the time at which it moved there from L₁. Jobs without a planned start are new. "Increasing
// order of submission time" is FCFS order, which is the order of the round's jobs.
#pragma once
#include "../round_profile.hpp"
#include "../stable_order.hpp"
#include "policy.hpp"
#include "reservation_sweep.hpp"

namespace planbatch {

template <std::size_t K>
class DeadlineQueues {
  public:
    // Begins with the plan and the policy state of the round before. Starts count from now, limits are times.
    void begin(const Round& round, Decision decision) {
        round_ = &round, start_ = decision.start, limit_ = decision.policy_state;
        for (std::size_t i = 0; i < start_.size(); ++i)
            start_[i] = round.planned[i] == never ? never : round.planned[i] - round.now;
    }
    const Round& round() const { return *round_; }
    std::size_t size() const { return start_.size(); }
    std::span<std::int64_t> start() { return start_; }
    std::int64_t limit(std::size_t i) const { return limit_[i]; }
    auto demand(std::size_t i) const { return demand_of<K>(*round_, i); }
    std::int64_t walltime(std::size_t i) const { return round_->jobs.walltime[i]; }

    bool is_tentative(std::size_t i) const { return 0 <= limit_[i] && limit_[i] < never; }
    // Whether a job would miss its deadline if it started so many seconds from now.
    bool late(std::size_t i, std::int64_t start) const { return round_->now + start + walltime(i) > limit_[i]; }
    void join_tentative(std::size_t i, std::int64_t deadline) { limit_[i] = deadline; }
    // A regular job, or one that can no longer meet its deadline.
    void join_definitive(std::size_t i) { limit_[i] = never; }
    // The job leaves L₁ for L₀.
    void move_to_definitive(std::size_t i) { limit_[i] = -1 - round_->now; }

    // The profile with the reservations of L₀, and that with those of L₁ as well.
    Profile<K>& committed() { return committed_; }
    Profile<K>& all() { return all_; }

    // Write them; false if the reservations do not fit.
    bool fill_committed() {
        fill(*round_, base_);
        return subtract(false, base_, committed_);
    }
    bool fill_all() { return subtract(true, committed_, all_); }

    // Gives every reservation, in the order of the starts, the earliest start that still fits. Needed only if jobs run
    // for longer than was assumed while they waited (`mixed` estimates), or if a part of the machine is unavailable.
    // Jobs that can no longer meet their deadline become regular.
    void start_over() {
        fill(*round_, all_, 2 * size());
        order_.resize(size());
        sort_(start_.data(), order_);
        for (const JobNumber job : order_) {
            const auto i = std::size_t(job);
            if (start_[i] == never) continue;
            start_[i] = reserve(all_, i);
            if (is_tentative(i) && late(i, start_[i])) join_definitive(i);
        }
        fill_committed();
        fill_all();
    }

    // Takes the earliest slot for a job; its start.
    std::int64_t reserve(Profile<K>& profile, std::size_t i) const {
        return profile.time(profile.place_earliest(demand(i), walltime(i)));
    }
    // The end of the earliest slot, a time, without taking it.
    std::int64_t earliest_end(const Profile<K>& profile, std::size_t i) const {
        return round_->now + profile.time(profile.earliest(demand(i), walltime(i))) + walltime(i);
    }

  private:
    const Round* round_ = nullptr;
    std::span<std::int64_t> start_, limit_;
    Profile<K> base_, committed_, all_;
    ReservationSweep<K> sweep_;
    StableSort sort_;
    std::vector<JobNumber> order_;
    std::vector<std::int64_t> reserved_;  // the starts of one of the queues

    // Writes the profile `before` less the reservations of L₁ (`tentative`) or of L₀ into another.
    bool subtract(bool tentative, const Profile<K>& before, Profile<K>& after) {
        reserved_.assign(size(), never);
        for (std::size_t i = 0; i < size(); ++i) {
            if (start_[i] == never || is_tentative(i) != tentative) continue;
            if (start_[i] < 0) return false;
            reserved_[i] = start_[i];
        }
        sweep_.subtract(*round_, reserved_, before, after);
        return !after.overdrawn();
    }
};

}  // namespace planbatch
