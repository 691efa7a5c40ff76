// Simulated annealing in stages: from the best first plan, first the front of the queue, then wider ones. If the setting
// says so, a front is annealed only if the queue is long, and in one cycle; the whole queue is searched in tournaments and
// by basin hopping, by turns, and by beams, where there are some for the objective. If some jobs cost nothing, such as
// those without a deadline, the others are also searched alone, by turns: in an optimal plan the rest may come behind them.
// With lexicographic objectives, this is done for the first.
//
// A search may be cut into calls of any length: the result is the same.
#pragma once
#include <memory>

#include "../clock.hpp"
#include "../order_search.hpp"
#include "../owned_jobs.hpp"
#include "basin_hopping.hpp"
#include "beams.hpp"
#include "front_search.hpp"
#include "justification.hpp"
#include "tournament.hpp"
#include "whole_orders.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class Annealing {
  public:
    static constexpr std::size_t wider = 8;         // the factor by which a front grows
    static constexpr std::size_t long_queue = 200;  // of more jobs, the front is annealed before the tournaments
    static constexpr std::size_t enumerated = 6;    // so few jobs are solved by trying every permutation

    void begin(const Round& round, const Objective& objective, const Scenarios* scenarios, const Setting& setting, bool relaxes = true) {
        setting_ = setting;
        search_.begin(round, objective, scenarios, relaxes);
        front_jobs_ = std::min(setting.front_jobs, search_.size()), left_ = evaluations_ = 0;
        whole_.begin(search_.round().jobs);
        justification_.begin(search_);
        beams_.begin(search_, justification_, setting.tournaments && !scenarios);
        competes_ = false, annealed_ = 0;
        find_part(setting.tournaments && !scenarios);
        if (beams_.for_makespan() || (setting.tournaments && search_.size() <= long_queue)) front_jobs_ = search_.size(), whole_.left = 0;
    }
    // Whether the makespan is proven to be optimal.
    bool proven() const { return beams_.proven(); }
    OrderSearch<K, Number>& search() { return search_; }
    const OrderSearch<K, Number>& search() const { return search_; }

    static constexpr double between_looks = 1e-4;      // seconds between two looks at the clock, about
    static constexpr std::size_t most_at_once = 4096;  // evaluations

    // The number of permutations if a budget allows trying them all, else 0.
    static std::size_t orders_to_try(std::size_t n, std::size_t evaluations) {
        if (n > enumerated) return 0;
        std::size_t orders = 1;
        for (std::size_t i = 2; i <= n; ++i) orders *= i;
        return orders <= evaluations ? orders : 0;
    }
    // Whether all jobs start now, so that every order decodes to this plan.
    bool all_start_now() const {
        const Column start = search_.start();
        return *std::max_element(start.begin(), start.end()) == search_.round().now;
    }
    // Tries all permutations in lexicographic order; false if a cost was not a finite number. What guides the
    // first cycle breaks ties.
    bool enumerate() {
        std::vector<JobNumber>& order = search_.trial_order();
        std::iota(order.begin(), order.end(), 0);
        const bool guided = setting_.tournaments && search_.guided();
        do {
            const double cost = search_.try_order();
            if (std::isnan(cost)) return false;
            if (guided && cost == search_.cost()) search_.offer(order, search_.trial(), cost, cost + search_.evaluator().guide(search_.trial(), true));
        } while (std::next_permutation(order.begin(), order.end()));
        return true;
    }

    // Justifies a plan of that cost that was tried; false if a cost was not a finite number.
    bool justify(Column start, double cost) {
        return justification_.improve(start, cost);
    }

    // Anneals for so many evaluations, or until the time is up or the plan is proven; false if a cost was not a finite
    // number. Call end_stage after the last one.
    bool advance(std::size_t evaluations, Random& rng, const Clock& clock = Clock(infinity)) {
        const bool timed = clock.seconds() < infinity;
        std::size_t portion = timed ? 1 : evaluations;
        for (std::size_t left = evaluations; left > 0 && clock.remaining() > 0.0 && !proven();) {
            const double began = clock.elapsed();
            const std::size_t count = advance_stage(std::min(left, portion), rng);
            if (count == none) return false;
            left -= count, evaluations_ += count;
            if (timed) portion = clock.elapsed() - began < between_looks ? std::min(2 * portion, most_at_once) : (portion + 1) / 2;
        }
        return true;
    }
    std::size_t evaluations() const { return evaluations_; }
    // Puts the best order of the front before the rest, and takes that plan if it is better as a whole.
    bool end_stage() {
        if (left_ == 0 || competes_) return true;
        std::vector<JobNumber>& order = search_.trial_order();
        std::copy(stage_order_.begin(), stage_order_.end(), order.begin());
        for (std::size_t i = 0; i < front_jobs_; ++i) order[i] = stage_order_[std::size_t(front_search_.best()[i])];
        if (std::isnan(search_.try_order())) return false;
        front_jobs_ = std::min(wider * front_jobs_, search_.size()), left_ = 0;
        return true;
    }

  private:
    OrderSearch<K, Number> search_;
    FrontSearch<K, Number> front_search_;
    WholeOrders whole_;
    Setting setting_{}, stage_setting_{};
    Round front_{};
    Scenarios front_scenarios_;
    OwnedJobs front_columns_;
    std::vector<double> keys_;
    std::size_t front_jobs_ = 0;  // jobs of the front that is annealed
    std::size_t left_ = 0;        // evaluations left for it; 0 before it begins
    std::vector<JobNumber> stage_order_;  // the order that has it in front
    std::size_t evaluations_ = 0;

    Beams<K, Number> beams_;
    Tournament<K, Number> tournament_;
    BasinHopping<K, Number> hopping_;
    Justification<K, Number> justification_;
    bool competes_ = false;     // whether tournaments and hopping have begun
    std::size_t annealed_ = 0;  // evaluations that did not go into beams

    // The jobs that count, if some do not, are searched alone in every other turn.
    static constexpr std::size_t turn = 50;  // evaluations
    std::vector<JobNumber> counted_;
    OwnedJobs counted_columns_;
    std::unique_ptr<Annealing> part_;
    bool has_part_ = false;
    std::size_t part_left_ = 0, part_spent_ = 0, whole_spent_ = 0;  // evaluations

    // So many evaluations or less of one kind; how many, none if a cost was not a finite number.
    std::size_t advance_stage(std::size_t evaluations, Random& rng) {
        if (has_part_ && part_left_ == 0 && whole_spent_ == part_spent_ + turn && !begin_turn()) return none;
        if (part_left_ > 0) return search_part(evaluations, rng);
        const std::size_t count = search_whole(has_part_ ? std::min(evaluations, part_spent_ + turn - whole_spent_) : evaluations, rng);
        if (has_part_ && count != none) whole_spent_ += count;
        return count;
    }
    void find_part(bool active) {
        const JobTable& jobs = search_.round().jobs;
        counted_.clear();
        for (std::size_t i = 0; active && i < jobs.size(); ++i)
            if (search_.objective().leading().counts(jobs, i) || jobs.latest[i] != never) counted_.push_back(JobNumber(i));
        has_part_ = 1 < counted_.size() && counted_.size() < jobs.size();
        part_left_ = part_spent_ = whole_spent_ = 0;
    }
    // Of the best plan of all.
    double leading_cost() const {
        const Round& round = search_.round();
        return search_.objective().leading().cost(search_.start(), round.jobs, round.now);
    }
    void begin_part() {
        if (!part_) part_ = std::make_unique<Annealing>();
        part_->begin(round_of(counted_, counted_columns_), search_.objective().leading(), nullptr, setting_, false);
    }
    // Gives the part its turn, and the best plan of all if that costs less than its own, unless no plan costs less. False if
    // a cost was not a finite number.
    bool begin_turn() {
        if (part_spent_ == 0) begin_part();
        OrderSearch<K, Number>& part = part_->search_;
        const double cost = leading_cost();
        has_part_ = cost > part.evaluator().soonest_cost();
        if (!has_part_) return true;
        part_left_ = turn;
        if (part.cost() <= cost) return true;
        keys_.resize(counted_.size());
        for (std::size_t i = 0; i < counted_.size(); ++i) keys_[i] = double(search_.start()[std::size_t(counted_[i])]);
        return !std::isnan(part.try_sorted(keys_));
    }
    // At the end of its turn, the best order of the part goes before the rest if it costs less.
    std::size_t search_part(std::size_t evaluations, Random& rng) {
        const std::size_t count = part_->advance_stage(std::min(evaluations, part_left_), rng);
        if (count == none) return none;
        part_left_ -= count, part_spent_ += count;
        const OrderSearch<K, Number>& part = part_->search_;
        if (part_left_ > 0 || part.cost() >= leading_cost()) return count;
        keys_.resize(search_.size());
        for (std::size_t i = 0; i < search_.size(); ++i) keys_[i] = double(search_.start()[i] - search_.round().now);
        for (std::size_t i = 0; i < counted_.size(); ++i) keys_[std::size_t(counted_[std::size_t(part.order()[i])])] = double(i) - double(counted_.size());
        return std::isnan(search_.try_sorted(keys_)) ? none : count;
    }
    std::size_t search_whole(std::size_t evaluations, Random& rng) {
        if (!competes_ && setting_.tournaments && front_jobs_ == search_.size()) begin_to_compete();
        const std::size_t wait = beams_.wait(annealed_, !competes_ || between_cycles());
        if (wait == 0) return beams_.advance(evaluations, rng);
        const std::size_t count = anneal(std::min(evaluations, wait), rng);
        if (count != none) annealed_ += count;
        return count;
    }
    std::size_t anneal(std::size_t evaluations, Random& rng) {
        if (competes_) return compete(evaluations, rng);
        if (searches_whole_orders()) return search_whole_orders(std::min(evaluations, whole_.left), rng);
        if (left_ == 0) begin_stage();
        const std::size_t count = std::min(evaluations, left_);
        if (!front_search_.anneal(stage_setting_, rng, count)) return none;
        if (count == left_) return end_stage() ? count : none;
        left_ -= count;
        return count;
    }
    bool between_cycles() const { return tournament_.between_cycles() && hopping_.between_cycles(); }
    void begin_to_compete() {
        competes_ = true, left_ = std::size_t(never);
        tournament_.begin(search_, justification_, setting_);
        hopping_.begin(search_, justification_, setting_);
    }
    // Tournaments and hopping get equally many evaluations; in long queues hopping gets more.
    std::size_t compete(std::size_t evaluations, Random& rng) {
        const double share = std::max(1.0, double(search_.size()) / BasinHopping<K, Number>::few_jobs);
        const bool hops = !hopping_.between_cycles() || (tournament_.between_cycles() && double(hopping_.spent()) <= share * double(tournament_.spent()));
        return hops ? hopping_.advance(evaluations, rng) : tournament_.advance(evaluations, rng);
    }

    // On long queues, once the first front is annealed.
    bool searches_whole_orders() const { return whole_.left > 0 && left_ == 0 && front_jobs_ > setting_.front_jobs; }

    void begin_stage() {
        stage_order_.assign(search_.order().begin(), search_.order().end());
        front_ = round_of(Order(stage_order_).first(front_jobs_), front_columns_);
        const Scenarios* scenarios = search_.scenarios();
        if (scenarios) front_scenarios_ = scenarios->of_jobs(Order(stage_order_).first(front_jobs_));
        left_ = front_jobs_ < search_.size() ? FrontSearch<K, Number>::stage * front_jobs_ : std::size_t(never);
        stage_setting_ = setting_.tournaments ? BasinHopping<K, Number>::cycle(setting_, left_) : setting_;
        front_search_.begin(front_, search_.objective(), scenarios ? &front_scenarios_ : nullptr, stage_setting_);
    }
    std::size_t search_whole_orders(std::size_t count, Random& rng) {
        for (std::size_t k = 0; k < count; ++k) {
            const bool rules = whole_.draws_rules();
            double value;
            if (rules) {
                whole_.draw_rule(search_.round(), rng, keys_);
                value = search_.try_sorted(keys_);
            } else {
                whole_.draw_shift(search_.order(), search_.trial_order(), rng);
                value = search_.try_order();
            }
            if (std::isnan(value)) return none;
            if (rules) whole_.learn(value);
            --whole_.left;
        }
        return count;
    }

    // The round with these jobs alone, in this order; the columns keep them.
    Round round_of(Order jobs, OwnedJobs& columns) const {
        Round round = search_.round();
        columns.choose(round.jobs, jobs, round.width());
        round.jobs = columns.table();
        round.planned = round.jobs.submit, round.occupied = round.jobs.walltime;  // nothing looks at them
        return round;
    }
};

}  // namespace planbatch
