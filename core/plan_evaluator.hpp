// What a permutation costs: that of its plan, or over scenarios of what jobs turn out to take.
#pragma once
#include <functional>

#include "decoder.hpp"
#include "interrupt.hpp"
#include "objectives/objective.hpp"
#include "scenarios.hpp"

namespace planbatch {

inline double finite_or_nan(double value) { return std::isfinite(value) ? value : not_a_number; }

template <std::size_t K, std::signed_integral Number = std::int64_t>
class PlanEvaluator {
  public:
    // The round, the objective and the scenarios (none: null) must live as long as they are used here.
    void prepare(const Round& round, const Objective& objective, const Scenarios* scenarios) {
        round_ = round, objective_ = &objective, scenarios_ = scenarios && scenarios->size() ? scenarios : nullptr;
        decoder_.prepare(round);
        if (!scenarios_) return;
        futures_.resize(scenarios_->size());
        costs_.resize(scenarios_->size());
        order_.resize(round.jobs.size()), start_.resize(round.jobs.size());
        for (std::size_t k = 0; k < futures_.size(); ++k) futures_[k].prepare(scenarios_->round(round, k));
    }
    Decoder<K, Number>& decoder() { return decoder_; }

    // Decodes an order into `start`; infinite if it breaks a promise, NaN if the cost is not a finite number.
    double cost(Order order, std::span<std::int64_t> start) {
        decoder_.decode(order, start);
        return kept_cost(order, start);
    }
    // The same for a neighbour of the base order; see Decoder::decode_neighbour.
    double neighbour_cost(Order order, std::size_t first, std::size_t last, Column base, std::span<std::int64_t> start) {
        decoder_.decode_neighbour(order, first, last, base, start);
        return kept_cost(order, start);
    }
    // The cost of the plan that an order was decoded to, whatever was promised; NaN if it is not a finite number.
    double planned_cost(Order order, Column start) {
        if (scenarios_) return scenario_cost(order, start);
        return finite_or_nan(objective_->cost(start, round_.jobs, round_.now));
    }
    // What guides a search between plans of like cost, in its first cycle or later.
    double guide(Column start, bool first = false) const {
        return first ? objective_->first_guide(start, round_.jobs, round_.now) : objective_->guide(start, round_.jobs, round_.now);
    }
    // The cost if every job could start now, which no plan undercuts.
    double soonest_cost() {
        const std::vector<std::int64_t> now(round_.jobs.size(), round_.now);
        if (!scenarios_) return finite_or_nan(objective_->cost(now, round_.jobs, round_.now));
        for (std::size_t k = 0; k < costs_.size(); ++k) costs_[k] = objective_->cost(now, scenarios_->round(round_, k).jobs, round_.now);
        return scenarios_->mean_of_worst(costs_);
    }

  private:
    Round round_{};
    const Objective* objective_ = nullptr;
    const Scenarios* scenarios_ = nullptr;
    Decoder<K, Number> decoder_;
    std::vector<Decoder<K, Number>> futures_;  // a decoder per scenario
    std::vector<JobNumber> order_;
    std::vector<std::int64_t> start_;
    std::vector<double> costs_;

    double kept_cost(Order order, Column start) {
        Interrupt::poll();
        if (!keeps_promises(start, round_.jobs.latest)) return infinity;
        return planned_cost(order, start);
    }
    // What the plan starts now starts now in every scenario, since that is decided before anything else is known. The
    // other jobs follow in their order. The objective sees the starts and run times of the scenario.
    double scenario_cost(Order order, Column start) {
        put_starting_first(order, start);
        for (std::size_t k = 0; k < futures_.size(); ++k) {
            futures_[k].decode(order_, start_);
            costs_[k] = objective_->cost(start_, scenarios_->round(round_, k).jobs, round_.now);
            if (!std::isfinite(costs_[k])) return not_a_number;
        }
        return scenarios_->mean_of_worst(costs_);
    }
    void put_starting_first(Order order, Column start) {
        const auto starts_now = [&](JobNumber job) { return start[std::size_t(job)] == round_.now; };
        const auto middle = std::copy_if(order.begin(), order.end(), order_.begin(), starts_now);
        std::copy_if(order.begin(), order.end(), middle, std::not_fn(starts_now));
    }
};

}  // namespace planbatch
