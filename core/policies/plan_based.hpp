// Plan-based scheduling: in every round annealing searches for the plan to act on (Zheng et al. 2016).
#pragma once
#include "../annealing/annealing.hpp"
#include "policy.hpp"

namespace planbatch {

// What a plan-based policy searches for, and how.
struct PlanSearch {
    std::shared_ptr<const Objective> objective;
    Setting setting;
    std::vector<std::int64_t> first_plans;  // numbers of FirstOrder
    std::size_t evaluations;
    bool promised;          // whether jobs are promised a latest start
    std::size_t scenarios;  // in how many scenarios plans are judged; 0 for none
    double risk;
};

template <std::size_t K>
class PlanBased : public Policy {
  public:
    PlanBased(PlanSearch search, const Random& rng) : search_(std::move(search)), rng_(rng) {}

    Report decide(const Round& round, Decision decision) override { return decide_until(round, decision, Clock(infinity)); }
    // The same; the annealing ends with its evaluations or its time.
    Report decide_until(const Round& round, Decision decision, const Clock& clock) {
        if (!any_fits(round)) {
            keep_previous_plan(round, decision.start);
            return {};
        }
        if constexpr (K == 1)
            if (is_narrow(round)) return optimize(narrow_, round, decision.start, clock);
        return optimize(wide_, round, decision.start, clock);
    }

  private:
    PlanSearch search_;
    Random rng_;
    Annealing<K, std::int64_t> wide_;
    Annealing<K, std::conditional_t<K == 1, std::int32_t, std::int64_t>> narrow_;
    Decoder<K> decoder_;
    StableSort sort_;
    std::vector<JobNumber> order_;

    template <class Search>
    Report optimize(Search& annealing, const Round& round, std::span<std::int64_t> plan, const Clock& clock) {
        Scenarios scenarios;
        if (search_.scenarios) scenarios = Scenarios::draw(round, search_.scenarios, search_.risk, rng_);
        annealing.begin(round, *search_.objective, search_.scenarios ? &scenarios : nullptr, search_.setting);
        auto& best = annealing.search();
        Report report;
        if (!best.try_first_plans(search_.first_plans)) throw CostNotFinite();
        report.seed_cost = best.cost();
        if (!improve(annealing, report, clock)) throw CostNotFinite();
        report.cost = best.cost();
        std::copy(best.start().begin(), best.start().end(), plan.begin());
        return report;
    }
    // Returns whether all costs were finite numbers.
    template <class Search>
    bool improve(Search& annealing, Report& report, const Clock& clock) {
        const std::size_t n = annealing.search().size();
        if (n == 1 || annealing.all_start_now()) return true;
        if (const std::size_t orders = Search::orders_to_try(n, search_.evaluations)) {
            report.evaluations = std::int64_t(orders);
            return annealing.enumerate();
        }
        const bool finite = annealing.advance(search_.evaluations, rng_, clock);
        report.evaluations = std::int64_t(annealing.evaluations());
        return finite && annealing.end_stage();
    }

    // Nothing can start. New jobs stay without a start; if promises are made, they are planned after the others, so
    // that they get theirs.
    void keep_previous_plan(const Round& round, std::span<std::int64_t> plan) {
        if (!search_.promised) {
            for (std::size_t i = 0; i < plan.size(); ++i) plan[i] = round.planned[i] > round.now ? round.planned[i] : never;
            return;
        }
        decoder_.prepare(round);
        order_.resize(plan.size());
        sort_(round.planned.data(), order_);
        decoder_.decode(order_, plan);
    }
};

}  // namespace planbatch
