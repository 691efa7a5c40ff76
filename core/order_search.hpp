// A search over the permutations of a round: the best order so far, its plan and its cost; what every search builds on.
#pragma once
#include "first_plans.hpp"
#include "plan_evaluator.hpp"
#include "promises.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number = std::int64_t>
class OrderSearch {
  public:
    // `relaxes`: whether promises that can no longer all be kept are relaxed.
    void begin(const Round& given, const Objective& objective, const Scenarios* scenarios, bool relaxes = true) {
        const std::size_t n = given.jobs.size();
        objective_ = &objective, scenarios_ = scenarios;
        evaluator_.decoder().prepare(given);
        round_ = relaxes ? promises_.of(given, evaluator_.decoder()) : given;
        evaluator_.prepare(round_, objective, scenarios);
        for (auto* order : {&order_, &trial_order_}) order->resize(n);
        for (auto* start : {&start_, &trial_}) start->resize(n);
        cost_ = energy_ = infinity;
    }
    const Round& round() const { return round_; }
    const Objective& objective() const { return *objective_; }
    const Scenarios* scenarios() const { return scenarios_; }
    // Whether the objective has a second criterion that counts.
    bool guided() const { return objective_->has_guide() && !scenarios_; }
    PlanEvaluator<K, Number>& evaluator() { return evaluator_; }
    std::size_t size() const { return order_.size(); }

    Order order() const { return order_; }
    Column start() const { return start_; }
    double cost() const { return cost_; }
    std::vector<JobNumber>& trial_order() { return trial_order_; }
    Column trial() const { return trial_; }

    // Decodes the order that is tried, and keeps it if it is better; its cost, NaN if it is not a finite number.
    double try_order() {
        const double value = evaluator_.cost(trial_order_, trial_);
        offer(trial_order_, trial_, value);
        return value;
    }
    // Keeps an order that has been decoded elsewhere if it is better; between equal costs energies decide, if known.
    void offer(Order order, Column start, double cost, double energy = infinity) {
        if (!(cost < cost_ || (cost == cost_ && energy < energy_))) return;
        cost_ = cost, energy_ = energy;
        std::copy(order.begin(), order.end(), order_.begin());
        std::copy(start.begin(), start.end(), start_.begin());
    }
    double try_sorted(const std::vector<double>& keys) {
        sort_(keys.data(), trial_order_);
        return try_order();
    }

    // Tries the first plans of these numbers; false if a cost was not a finite number. Of equally good ones the first
    // wins. Call end_first_plans after the last.
    bool try_first_plans(std::span<const std::int64_t> numbers) {
        std::size_t left = size() <= long_queue ? numbers.size() : first_plans_of_long_queues;
        const Column deadline = round_.jobs.deadline;
        const bool deadlines = std::any_of(deadline.begin(), deadline.end(), [](std::int64_t d) { return d != never; });
        first_.prepare(round_);
        for (const std::int64_t number : numbers) {
            const auto order = FirstOrder(number);
            if (order == FirstOrder::regular_first) {
                if (!deadlines) continue;
            } else if (left == 0) {
                continue;
            } else {
                --left;
            }
            first_.keys(round_, order, keys_);
            if (std::isnan(try_sorted(keys_))) return false;
        }
        return std::isfinite(cost_) || take_previous_plan();
    }

  private:
    Round round_{};
    const Objective* objective_ = nullptr;
    const Scenarios* scenarios_ = nullptr;
    PlanEvaluator<K, Number> evaluator_;
    FeasiblePromises promises_;
    FirstPlanKeys first_;
    StableSort sort_;
    std::vector<JobNumber> order_, trial_order_;
    std::vector<std::int64_t> start_, trial_;
    std::vector<double> keys_;
    double cost_ = infinity, energy_ = infinity;

    // Where none of the first plans keeps all promises: the previous plan does.
    bool take_previous_plan() {
        sort_(round_.planned.data(), order_);
        evaluator_.decoder().decode(order_, start_);
        cost_ = evaluator_.planned_cost(order_, start_);
        return std::isfinite(cost_);
    }
};

}  // namespace planbatch
