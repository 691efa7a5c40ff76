// Annealing as a tournament: short cycles from the first plan; of two plans that went through cycles of one length, the
// better goes on to a cycle twice as long, and so on for ever. So the search never freezes, and knows no budget.
//
// A tournament may be cut into calls of any length: the result is the same. (Of its kin, successive halving, Karnin,
// Koren, Somekh, ICML 2013, knows the budget.)
#pragma once
#include <optional>

#include "../order_search.hpp"
#include "front_search.hpp"
#include "justification.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class Tournament {
  public:
    static constexpr std::size_t shortest = 110;  // evaluations of a cycle from the first plan

    void begin(OrderSearch<K, Number>& search, Justification<K, Number>& justification, const Setting& setting) {
        search_ = &search, justification_ = &justification, setting_ = setting;
        annealing_.prepare(search.round(), search.objective(), search.scenarios(), setting);
        first_.order.assign(search.order().begin(), search.order().end());
        plan_ = first_;
        waiting_.clear();
        round_ = left_ = spent_ = 0;
    }
    // Whether no cycle has begun that has not ended.
    bool between_cycles() const { return left_ == 0; }
    std::size_t spent() const { return spent_; }

    // Anneals for so many evaluations, or until the end of a cycle; returns how many, none if a cost was not finite.
    std::size_t advance(std::size_t evaluations, Random& rng) {
        if (left_ == 0) begin_cycle();
        const std::size_t count = std::min(evaluations, left_);
        if (!annealing_.anneal(cycle_, rng, count)) return none;
        search_->offer(annealing_.best(), annealing_.best_start(), annealing_.best_cost(), annealing_.guided() ? annealing_.best_energy() : infinity);
        left_ -= count, spent_ += count;
        return left_ > 0 || end_cycle() ? count : none;
    }

  private:
    struct Plan {
        std::vector<JobNumber> order;
        double energy = infinity;
    };
    OrderSearch<K, Number>* search_ = nullptr;
    Justification<K, Number>* justification_ = nullptr;
    FrontSearch<K, Number> annealing_;
    Setting setting_{}, cycle_{};
    Plan first_, plan_;                         // `plan_`: from which the next cycle starts
    std::vector<std::optional<Plan>> waiting_;  // for another that went through as many rounds
    std::size_t round_ = 0, left_ = 0, spent_ = 0;

    void begin_cycle() {
        left_ = shortest << std::min<std::size_t>(round_, 40);
        if (waiting_.size() <= round_) waiting_.resize(round_ + 1);
        cycle_ = setting_.one_cycle(left_);
        annealing_.restart(plan_.order, cycle_);
    }
    // False if a cost was not a finite number.
    bool end_cycle() {
        const Order best = annealing_.best();
        plan_ = {{best.begin(), best.end()}, annealing_.best_energy()};
        const bool finite = justification_->improve(annealing_.best_start(), plan_.energy, [this](Column, double, double energy) {
            plan_ = {search_->trial_order(), energy};
        });
        if (!finite) return false;
        std::optional<Plan>& other = waiting_[round_];
        if (!other) {
            other = std::move(plan_);
            plan_ = first_, round_ = 0;
            return true;
        }
        if (other->energy <= plan_.energy) plan_ = std::move(*other);
        other.reset();
        ++round_;
        return true;
    }
};

}  // namespace planbatch
