// Double justification (Valls, Ballestín, Quintanilla, EJOR 165 (2005), Section 2): each job in turn, the last to end
// first, moves as late as the end of the plan allows; decoded in the order of these starts, the plan never ends later,
// and often earlier.
#pragma once
#include "../order_search.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class Justification {
  public:
    void begin(OrderSearch<K, Number>& search) {
        search_ = &search;
        const Round& round = search.round();
        fill(round, base_);
        amounts_.assign(round.jobs.amounts.begin(), round.jobs.amounts.end());
        walltime_.assign(round.jobs.walltime.begin(), round.jobs.walltime.end());
        capacities_.assign(round.capacities.begin(), round.capacities.end());
        nothing_.assign(capacities_.size(), 0);
        key_.resize(walltime_.size());
    }

    // The cost of a plan, and what guides the search behind it.
    double energy(double cost, Column start) { return search_->guided() ? cost + search_->evaluator().guide(start) : cost; }

    // Justifies a plan for as long as its energy falls. The search tries each plan that this gives; `take` is called with
    // the start, cost and energy of each that is better. False if a cost was not a finite number.
    template <class Take>
    bool improve(Column start, double energy_before, Take&& take) {
        for (;;) {
            order_by_latest_starts(start, search_->trial_order());
            const double cost = search_->try_order();
            if (std::isnan(cost)) return false;
            if (cost == infinity) return true;  // it breaks a promise
            start = search_->trial();
            const double after = energy(cost, start);
            if (!(after < energy_before)) return true;
            take(start, cost, after);
            energy_before = after;
        }
    }

    // The same of a plan of that cost which the search has tried.
    bool improve(Column start, double cost) {
        return improve(start, energy(cost, start), [](Column, double, double) {});
    }

  private:
    OrderSearch<K, Number>* search_ = nullptr;
    Profile<K, Number> base_, profile_;
    std::vector<Number> amounts_, walltime_, capacities_, nothing_;
    std::vector<std::int64_t> key_;
    StableSort sort_;

    void order_by_latest_starts(Column start, std::vector<JobNumber>& order) {
        const std::int64_t now = search_->round().now;
        std::int64_t end = 0;
        for (std::size_t j = 0; j < key_.size(); ++j) {
            key_[j] = -(start[j] - now + walltime_[j]);
            end = std::max(end, -key_[j]);
        }
        sort_(key_.data(), order);
        turn_around(Number(end));
        for (const JobNumber job : order) {
            const auto j = std::size_t(job);
            const std::size_t i = profile_.place_earliest(row_of<K>(amounts_.data(), j, profile_.width()), walltime_[j]);
            key_[j] = end - profile_.time(i) - walltime_[j];
        }
        sort_(key_.data(), order);
    }
    // What is free from an end back to now. All of the machine is free before now, where no job will be.
    void turn_around(Number end) {
        profile_.clear(base_.width(), base_.size() + 1 + walltime_.size());
        std::size_t i = base_.index_at(end - 1);
        profile_.append_row(0, base_.row(i), nothing_.data());
        for (; i > 0; --i) profile_.append_row(end - base_.time(i), base_.row(i - 1), nothing_.data());
        profile_.append_row(end, capacities_.data(), nothing_.data());
        profile_.close();
    }
};

}  // namespace planbatch
