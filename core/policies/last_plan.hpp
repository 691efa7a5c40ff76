// The last plan, continued where nothing unforeseen happened.
//
// Where the machine and the queue are as it foresaw, decoding from scratch would give its starts again: those that
// started meanwhile only take what it had reserved for them. So only new jobs at the queue's end are placed.
#pragma once
#include "../profile.hpp"
#include "../round.hpp"

namespace planbatch {

template <std::size_t K>
class LastPlan {
  public:
    // Writes the plan of an order if it continues the last one; says whether it does. `free` is the profile without it.
    bool continues(const Round& round, Order order, const Profile<K>& free, std::span<std::int64_t> start) {
        if (order.size() < jobs_.size() || round.now < expected_now_ || !as_expected(round, order, free)) return false;
        for (std::size_t p = 0; p < jobs_.size(); ++p) start[std::size_t(order[p])] = jobs_[p].start;
        plan_.begin_at(plan_.split(round.now - plan_now_));
        for (std::size_t p = jobs_.size(); p < order.size(); ++p) {
            const auto job = std::size_t(order[p]);
            start[job] = plan_now_ + plan_.time(plan_.place_earliest(demand_of<K>(round, job), round.jobs.walltime[job]));
        }
        return true;
    }
    void begin(const Round& round, const Profile<K>& plan) {
        plan_now_ = round.now;
        plan_.copy_from(plan, 0);
    }
    // What the next round will find if nothing unforeseen happens. `free` is the profile without the plan.
    void expect(const Round& round, Order order, const Profile<K>& free, Column start) {
        expected_now_ = round.now;
        expected_.copy_from(free, 2);
        jobs_.clear(), amounts_.clear();
        for (const JobNumber number : order) {
            const auto job = std::size_t(number);
            if (start[job] == round.now) {
                expected_.take_between(0, round.jobs.walltime[job], demand_of<K>(round, job));
                continue;
            }
            jobs_.push_back({round.jobs.walltime[job], start[job]});
            const Demand<K, std::int64_t> amounts = demand_of<K>(round, job);
            amounts_.insert(amounts_.end(), amounts.begin(), amounts.end());
        }
    }

  private:
    struct Job {
        std::int64_t walltime, start;
    };
    std::int64_t plan_now_ = 0, expected_now_ = 0;  // from which the profiles count
    Profile<K> plan_, expected_;                    // with all jobs, and with those that run
    std::vector<Job> jobs_;                         // in the order, without those that started
    std::vector<std::int64_t> amounts_;

    bool as_expected(const Round& round, Order order, const Profile<K>& free) const {
        const std::size_t width = round.width();
        if (expected_.size() == 0) return false;  // the first round
        for (std::size_t p = 0; p < jobs_.size(); ++p) {
            const auto job = std::size_t(order[p]);
            const Demand<K, std::int64_t> amounts = demand_of<K>(round, job);
            if (round.jobs.walltime[job] != jobs_[p].walltime || jobs_[p].start < round.now ||
                !std::equal(amounts.begin(), amounts.end(), amounts_.begin() + std::ptrdiff_t(p * width)))
                return false;
        }
        return expected_.equals_from(round.now - expected_now_, free);
    }
};

}  // namespace planbatch
