// Beam searches beside annealing: for the makespan, and for costs that add up over jobs.
//
// A plan that is tried is an evaluation. For the makespan a node that is expanded is one, too; otherwise a few nodes are, or
// a few of the costs from which marginal costs are learnt, which take about as long. Plans are justified.
//
// A search may be cut into calls of any length: the result is the same.
#pragma once
#include "../beam/cost_guide.hpp"
#include "../beam/waste_guide.hpp"
#include "../objectives/response.hpp"
#include "../order_search.hpp"
#include "justification.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class Beams {
  public:
    static constexpr std::size_t makespan_share = 3;    // evaluations of beams for one of annealing
    static constexpr double jobs_per_share = 20.0;      // one evaluation for one of annealing for so many jobs, and
    static constexpr double most_share = 20.0;          // no more than that,
    static constexpr double futility = 3.0;             // over one and so much for each pass that found nothing better
    static constexpr std::size_t at_once = 5;           // nodes, or costs, that count as one evaluation
    static constexpr std::size_t patience = 2;          // costs are learnt after so many times as many evaluations of annealing;
    static constexpr std::size_t most_patience = 100;   // parabolas after so many at most
    static constexpr double looser = 0.01;              // plans may end so much later than the best, since justification follows
    static constexpr std::size_t most_plans = 100;      // of a pass that are tried
    static constexpr std::size_t partial_passes = 3;    // for the makespan, between two full ones, once there are `first_passes`
    static constexpr std::size_t first_passes = 4;

    void begin(OrderSearch<K, Number>& search, Justification<K, Number>& justification, bool active) {
        search_ = &search, justification_ = &justification;
        active_ = active, makespan_ = active && dynamic_cast<const Makespan*>(&search.objective().leading());
        spent_ = partial_passes_ = futile_ = plans_ = tried_ = 0, in_pass_ = false;
        knowledge_ = Knowledge::none, learns_ = false;
        bound_ = -infinity;
        if (makespan_) by_waste_.begin(search.round()), bound_ = double(by_waste_.guide().bound());
    }
    bool for_makespan() const { return active_ && makespan_; }
    // Whether the makespan is proven to be optimal.
    bool proven() const { return makespan_ && dynamic_cast<const Makespan*>(&search_->objective()) && search_->cost() <= bound_; }

    // How many evaluations annealing gets until it is their turn, if it has got so many, and is between two cycles or not.
    std::size_t wait(std::size_t annealed, bool between_cycles) const {
        if (!active_) return none;
        if (in_pass_ || tried_ < plans_ || learns_) return 0;
        if (makespan_) return between_cycles && spent_ <= makespan_share * annealed ? 0 : none;
        const std::size_t until = knowledge_ == Knowledge::all ? std::size_t(std::ceil(double(spent_) / share()))
                                                               : annealed_before_learning();
        return std::max(until, annealed) - annealed;
    }
    // Expands or tries so many at most; how many, none if a cost was not a finite number.
    std::size_t advance(std::size_t evaluations, Random& rng) {
        if (tried_ < plans_) {
            const double before = search_->cost();
            if (!try_plan(tried_++)) return none;
            if (search_->cost() < before) futile_ = 0;
            return ++spent_, 1;
        }
        if (!makespan_ && knowledge_ != Knowledge::all) return learn(evaluations);
        if (!in_pass_ && !begin_pass(rng)) return active_ = false, 0;
        return makespan_ ? expand(by_waste_, 1, evaluations, rng) : expand(by_cost_, at_once, evaluations, rng);
    }

  private:
    OrderSearch<K, Number>* search_ = nullptr;
    Justification<K, Number>* justification_ = nullptr;
    BeamSearch<K, Number, WasteGuide> by_waste_;
    BeamSearch<K, Number, CostGuide> by_cost_;
    bool active_ = false, makespan_ = false, in_pass_ = false;
    std::size_t spent_ = 0, partial_passes_ = 0;  // the latter since the last full one
    std::size_t futile_ = 0;                      // passes that found nothing better, since the last that did
    std::size_t plans_ = 0, tried_ = 0;           // of the last pass: to be tried, and tried so far
    double bound_ = -infinity;
    MarginalCosts costs_;
    enum class Knowledge { none, parabolas, all } knowledge_ = Knowledge::none;  // of marginal costs
    bool learns_ = false;                                                        // more of them

    // Evaluations of beams for one of annealing.
    double share() const { return std::min(most_share, double(search_->size()) / jobs_per_share) / (1.0 + futility * double(futile_)); }
    std::size_t annealed_before_learning() const {
        const std::size_t n = search_->size();
        if (knowledge_ == Knowledge::none) return std::min(patience * MarginalCosts::evaluations(n) / at_once, most_patience);
        return patience * MarginalCosts::evaluations_of_bends(n) / at_once;
    }
    std::size_t learn(std::size_t evaluations) {
        const Column start = search_->start();
        if (!learns_ && knowledge_ == Knowledge::none) costs_.begin(search_->round(), search_->objective().surrogate(), *std::max_element(start.begin(), start.end()));
        learns_ = true;
        std::size_t count = 0;
        for (; learns_ && count < evaluations; ++count)
            for (std::size_t i = 0; learns_ && i < at_once; ++i) learns_ = !costs_.step();
        spent_ += count;
        if (learns_) return count;
        if (knowledge_ == Knowledge::none && costs_.bent()) return knowledge_ = Knowledge::parabolas, count;
        knowledge_ = Knowledge::all;
        active_ = !costs_.costs().empty();
        if (active_) by_cost_.begin(search_->round(), costs_.costs());
        return count;
    }
    template <class Beam>
    std::size_t expand(Beam& beam, std::size_t nodes, std::size_t evaluations, Random& rng) {
        std::size_t count = 0;
        for (; in_pass_ && count < evaluations; ++count)
            for (std::size_t i = 0; in_pass_ && i < nodes; ++i) in_pass_ = !beam.step(rng);
        spent_ += count;
        if (!in_pass_) plans_ = std::min(beam.plans(), most_plans), tried_ = 0;
        return count;
    }
    // False if nothing is left for them: what comes behind the makespan may be.
    bool begin_pass(Random& rng) {
        if (!makespan_) return ++futile_, by_cost_.begin_pass(rng), in_pass_ = true;
        const std::int64_t now = search_->round().now;
        const Column start = search_->start();
        std::int64_t last = 0;
        for (std::size_t i = 0; i < search_->size(); ++i) last = std::max(last, start[i] + search_->round().jobs.walltime[i]);
        const std::int64_t makespan = last - now;
        if (double(makespan) <= bound_) return false;
        in_pass_ = true;
        by_waste_.guide().aim(makespan - 1 + std::int64_t(looser * double(makespan)));
        if (by_waste_.passes() < first_passes || partial_passes_ == partial_passes) {
            partial_passes_ = 0;
            return by_waste_.begin_pass(rng), true;
        }
        // What starts in the last tenth to half of the best plan.
        ++partial_passes_;
        const std::int64_t last_start = *std::max_element(start.begin(), start.end()) - now;
        by_waste_.begin_partial_pass(start, std::min(last_start, std::int64_t(double(makespan) * (0.5 + 0.4 * rng.draw()))), rng);
        return true;
    }
    // Tries a plan of the pass, and justifies it; false if a cost was not finite.
    bool try_plan(std::size_t plan) {
        const Order order = makespan_ ? by_waste_.order(plan * by_waste_.plans() / plans_) : by_cost_.order(plan * by_cost_.plans() / plans_);
        std::copy(order.begin(), order.end(), search_->trial_order().begin());
        const double cost = search_->try_order();
        if (std::isnan(cost)) return false;
        if (cost == infinity) return true;  // it breaks a promise
        return justification_->improve(search_->trial(), cost);
    }
};

}  // namespace planbatch
