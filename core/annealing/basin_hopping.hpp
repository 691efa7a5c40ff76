// Basin hopping (Wales, Doye 1997; iterated local search: Lourenço, Martin, Stützle 2003): a cycle of annealing from the
// best plan, and its plan is taken unless it is worse. Before it a few jobs move anywhere, the large ones more often; in
// long queues seldom, where a cycle is change enough.
//
// The first cycle starts from the first plan itself, and moves jobs near the front: in replays only what
// starts now is final.
//
// Cycles grow with the square root of the evaluations spent, so that it never freezes, and knows no budget. It may be
// cut into calls of any length: the result is the same.
#pragma once
#include "../order_search.hpp"
#include "front_search.hpp"
#include "justification.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class BasinHopping {
  public:
    static constexpr double hottest = 0.03;   // temperature at which a cycle begins
    static constexpr double shortest = 100.0; // evaluations of a cycle
    static constexpr double growth = 6.0;     // of the square root of the evaluations spent: the median length
    static constexpr double spread = 5.0;     // lengths vary by this factor in both directions
    static constexpr double few_jobs = 30.0;  // some move before every cycle; of more jobs, before one cycle in jobs / few_jobs
    static constexpr double further = 0.5;    // probability of one more move

    void begin(OrderSearch<K, Number>& search, Justification<K, Number>& justification, const Setting& setting) {
        search_ = &search, justification_ = &justification, setting_ = setting;
        annealing_.prepare(search.round(), search.objective(), search.scenarios(), setting);
        sizes_of(search.round(), area_);
        for (std::size_t i = 0; i < area_.size(); ++i) area_[i] *= double(search.round().jobs.walltime[i]);
        plan_.resize(search.size());
        cost_ = energy_ = infinity;
        left_ = spent_ = 0;
    }
    // The setting of a cycle of so many evaluations.
    static Setting cycle(Setting setting, std::size_t evaluations) {
        setting.hottest = std::max(hottest, 2.0 * setting.coldest);
        return setting.one_cycle(evaluations);
    }
    // Whether no cycle has begun that has not ended.
    bool between_cycles() const { return left_ == 0; }
    std::size_t spent() const { return spent_; }

    // Anneals for so many evaluations, or until the end of a cycle; returns how many, none if a cost was not finite.
    std::size_t advance(std::size_t evaluations, Random& rng) {
        if (left_ == 0) begin_cycle(rng);
        const std::size_t count = std::min(evaluations, left_);
        if (!annealing_.anneal(cycle_, rng, count)) return none;
        offer_best(annealing_.best_energy());
        left_ -= count, spent_ += count;
        return left_ > 0 || end_cycle() ? count : none;
    }

  private:
    OrderSearch<K, Number>* search_ = nullptr;
    Justification<K, Number>* justification_ = nullptr;
    FrontSearch<K, Number> annealing_;
    StableSort sort_;
    Setting setting_{}, cycle_{};
    std::vector<JobNumber> plan_, trial_;  // the present plan, in the order of its starts
    std::vector<double> area_;
    double cost_ = infinity, energy_ = infinity;
    std::size_t left_ = 0, spent_ = 0;

    void offer_best(double energy) {
        search_->offer(annealing_.best(), annealing_.best_start(), annealing_.best_cost(), annealing_.guided() ? energy : infinity);
    }
    // False if a cost was not a finite number.
    bool end_cycle() {
        const auto take_unless_worse = [this](Column start, double cost, double energy) {
            if (cost < cost_ || (cost == cost_ && energy <= energy_)) take(start, cost, energy);
        };
        const double energy = justification_->energy(annealing_.best_cost(), annealing_.best_start());
        offer_best(energy);  // without what guides the first cycle alone
        take_unless_worse(annealing_.best_start(), annealing_.best_cost(), energy);
        return justification_->improve(annealing_.best_start(), energy, take_unless_worse);
    }
    void take(Column start, double cost, double energy) {
        sort_(start.data(), plan_);
        cost_ = cost, energy_ = energy;
    }
    void begin_cycle(Random& rng) {
        if (search_->cost() < cost_) take(search_->start(), search_->cost(), infinity);  // found elsewhere
        trial_ = plan_;
        const bool first = spent_ == 0;
        if (!first && rng.draw() < few_jobs / double(plan_.size())) move_some_anywhere(rng);
        const double length = growth * std::sqrt(double(spent_)) * std::pow(spread, 2.0 * rng.draw() - 1.0);
        left_ = std::size_t(std::max(shortest, length));
        cycle_ = cycle(setting_, left_);
        annealing_.restart(trial_, cycle_, first ? double(left_) : 0.0);
        if (annealing_.best_cost() == infinity) annealing_.restart(plan_, cycle_);  // the moves broke a promise
    }
    void move_some_anywhere(Random& rng) {
        do move_anywhere(rng);
        while (rng.draw() < further);
    }
    // Moves the larger of two jobs to any place.
    void move_anywhere(Random& rng) {
        const auto place = [&] { return std::ptrdiff_t(double(trial_.size()) * rng.draw()); };
        const std::ptrdiff_t one = place(), other = place(), to = place();
        const auto area = [&](std::ptrdiff_t at) { return area_[std::size_t(trial_[std::size_t(at)])]; };
        const std::ptrdiff_t from = area(other) > area(one) ? other : one;
        const auto at = trial_.begin();
        if (from < to) std::rotate(at + from, at + from + 1, at + to + 1);
        else std::rotate(at + to, at + from, at + from + 1);
    }
};

}  // namespace planbatch
