// Simulated annealing in stages: from the best first plan, first the front of the queue, then wider ones. If the setting
// says so, the whole queue is then searched in tournaments and by basin hopping, by turns; for the makespan also by a
// beam search, from the start.
//
// A search may be cut into calls of any length: the result is the same.
#pragma once
#include "../beam/beam_search.hpp"
#include "../clock.hpp"
#include "../objectives/combined.hpp"
#include "../objectives/response.hpp"
#include "../order_search.hpp"
#include "basin_hopping.hpp"
#include "front_search.hpp"
#include "justification.hpp"
#include "tournament.hpp"
#include "whole_orders.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class Annealing {
  public:
    static constexpr std::size_t wider = 8;       // the factor by which a front grows
    static constexpr std::size_t enumerated = 6;  // so few jobs are solved by trying every permutation

    void begin(const Round& round, const Objective& objective, const Scenarios* scenarios, const Setting& setting, bool relaxes = true) {
        setting_ = setting;
        search_.begin(round, objective, scenarios, relaxes);
        front_jobs_ = std::min(setting.front_jobs, search_.size()), left_ = evaluations_ = 0;
        whole_.begin(search_.round().jobs);
        justification_.begin(search_);
        competes_ = false, beams_ = setting.tournaments && minds_makespan(objective) && !scenarios;
        if (!beams_) return;
        front_jobs_ = search_.size(), whole_.left = 0, beamed_ = partial_passes_ = plans_ = 0, in_pass_ = false;
        beam_.begin(search_.round());
        bound_ = double(beam_.bound());
    }
    // Whether the makespan is proven to be optimal.
    bool proven() const { return beams_ && dynamic_cast<const Makespan*>(&search_.objective()) && search_.cost() <= bound_; }
    OrderSearch<K, Number>& search() { return search_; }
    const OrderSearch<K, Number>& search() const { return search_; }

    static constexpr double between_looks = 1e-4;      // seconds between two looks at the clock, about
    static constexpr std::size_t most_at_once = 4096;  // evaluations
    static constexpr std::size_t beam_share = 3;       // evaluations of beams for one of annealing
    static constexpr double looser = 0.01;             // plans of beams may end so much later, since justification follows
    static constexpr std::size_t most_plans = 100;     // of a pass that are justified
    static constexpr std::size_t partial_passes = 3;   // between two full ones, once there are `first_passes` of these
    static constexpr std::size_t first_passes = 4;

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
    // Tries all permutations in lexicographic order; false if a cost was not a finite number.
    bool enumerate() {
        std::vector<JobNumber>& order = search_.trial_order();
        std::iota(order.begin(), order.end(), 0);
        do
            if (std::isnan(search_.try_order())) return false;
        while (std::next_permutation(order.begin(), order.end()));
        return true;
    }

    // Justifies a plan of that cost that was tried; false if a cost was not a finite number.
    bool justify(Column start, double cost) {
        return justification_.improve(start, justification_.energy(cost, start), [](Column, double, double) {});
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
        std::copy(search_.order().begin(), search_.order().end(), order.begin());
        for (std::size_t i = 0; i < front_jobs_; ++i) order[i] = search_.order()[std::size_t(front_search_.best()[i])];
        if (std::isnan(search_.try_order())) return false;
        front_jobs_ = std::min(wider * front_jobs_, search_.size()), left_ = 0;
        return true;
    }

  private:
    OrderSearch<K, Number> search_;
    FrontSearch<K, Number> front_search_;
    WholeOrders whole_;
    Setting setting_{};
    Round front_{};
    Scenarios front_scenarios_;
    std::vector<std::int64_t> front_columns_[7];
    std::vector<double> front_past_, keys_;
    std::size_t front_jobs_ = 0;  // jobs of the front that is annealed
    std::size_t left_ = 0;        // evaluations left for it; 0 before it begins
    std::size_t evaluations_ = 0;

    BeamSearch<K, Number> beam_;
    Tournament<K, Number> tournament_;
    BasinHopping<K, Number> hopping_;
    Justification<K, Number> justification_;
    bool competes_ = false;       // whether tournaments and hopping have begun
    bool beams_ = false, in_pass_ = false;
    std::size_t beamed_ = 0;      // evaluations that went into beams
    std::size_t partial_passes_ = 0;  // since the last full one
    std::size_t plans_ = 0, tried_ = 0;  // of the last pass: to be tried, and tried so far
    double bound_ = -infinity;

    static bool minds_makespan(const Objective& objective) {
        if (const auto* both = dynamic_cast<const Lexicographic*>(&objective)) return minds_makespan(*both->first());
        return dynamic_cast<const Makespan*>(&objective) != nullptr;
    }
    // So many evaluations or less of one kind; how many, none if a cost was not a finite number.
    std::size_t advance_stage(std::size_t evaluations, Random& rng) {
        if (setting_.tournaments && front_jobs_ == search_.size()) return compete(evaluations, rng);
        if (searches_whole_orders()) return search_whole_orders(std::min(evaluations, whole_.left), rng);
        if (left_ == 0) begin_stage();
        const std::size_t count = std::min(evaluations, left_);
        if (!front_search_.anneal(setting_, rng, count)) return none;
        if (count == left_) return end_stage() ? count : none;
        left_ -= count;
        return count;
    }

    // The same of a tournament, of hopping or of a beam search, to whichever the next belong. Of four evaluations beams
    // get three: a node that is expanded is one, and so is a plan that is tried.
    std::size_t compete(std::size_t evaluations, Random& rng) {
        if (!competes_) {
            competes_ = true, left_ = std::size_t(never);
            tournament_.begin(search_, justification_, setting_);
            hopping_.begin(search_, justification_, setting_);
        }
        if (in_pass_) {
            std::size_t count = 0;
            for (; in_pass_ && count < evaluations; ++count) in_pass_ = !beam_.step(rng);
            beamed_ += count;
            if (!in_pass_) plans_ = std::min(beam_.plans(), most_plans), tried_ = 0;
            return count;
        }
        if (tried_ < plans_) {
            ++beamed_;
            return try_plan(tried_++ * beam_.plans() / plans_) ? 1 : none;
        }
        const bool between = tournament_.between_cycles() && hopping_.between_cycles();
        if (!beams_ || !between || beamed_ > beam_share * (tournament_.spent() + hopping_.spent())) return anneal(evaluations, rng);
        begin_pass(rng);
        return 0;
    }
    // Begins a beam search of all jobs, or of those that start in the last tenth to half of the best plan.
    void begin_pass(Random& rng) {
        const std::int64_t now = search_.round().now;
        const Column start = search_.start();
        std::int64_t last = 0;
        for (std::size_t i = 0; i < search_.size(); ++i) last = std::max(last, start[i] + search_.round().jobs.walltime[i]);
        const std::int64_t makespan = last - now;
        beams_ = double(makespan) > bound_;  // else nothing is left for them; what comes behind the makespan is
        if (!beams_) return;
        in_pass_ = true;
        const std::int64_t target = makespan - 1 + std::int64_t(looser * double(makespan));
        if (beam_.passes() >= first_passes && partial_passes_ < partial_passes) {
            ++partial_passes_;
            const std::int64_t last_start = *std::max_element(start.begin(), start.end()) - now;
            beam_.begin_partial_pass(target, start, std::min(last_start, std::int64_t(double(makespan) * (0.5 + 0.4 * rng.draw()))), rng);
        } else {
            partial_passes_ = 0;
            beam_.begin_pass(target, rng);
        }
    }
    // Tries a plan of the pass, and justifies it; false if a cost was not finite.
    bool try_plan(std::size_t plan) {
        const Order order = beam_.order(plan);
        std::copy(order.begin(), order.end(), search_.trial_order().begin());
        const double cost = search_.try_order();
        if (std::isnan(cost)) return false;
        if (cost == infinity) return true;  // it breaks a promise
        return justify(search_.trial(), cost);
    }

    // Tournaments and hopping get equally many evaluations.
    std::size_t anneal(std::size_t evaluations, Random& rng) {
        const bool hops = !hopping_.between_cycles() || (tournament_.between_cycles() && hopping_.spent() <= tournament_.spent());
        return hops ? hopping_.advance(evaluations, rng) : tournament_.advance(evaluations, rng);
    }

    // On long queues, once the first front is annealed.
    bool searches_whole_orders() const { return whole_.left > 0 && left_ == 0 && front_jobs_ > setting_.front_jobs; }

    void begin_stage() {
        choose_front();
        const Scenarios* scenarios = search_.scenarios();
        if (scenarios) front_scenarios_ = scenarios->of_jobs(search_.order().first(front_jobs_));
        front_search_.begin(front_, search_.objective(), scenarios ? &front_scenarios_ : nullptr, setting_);
        left_ = front_jobs_ < search_.size() ? FrontSearch<K, Number>::stage * front_jobs_ : std::size_t(never);
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

    // The round of the first jobs of the best order, in that order.
    void choose_front() {
        const Round& round = search_.round();
        const Order order = search_.order();
        const auto choose = [&](std::size_t k, Column column, std::size_t width) {
            std::vector<std::int64_t>& own = front_columns_[k];
            own.resize(front_jobs_ * width);
            for (std::size_t i = 0; i < front_jobs_; ++i)
                std::copy_n(column.begin() + std::ptrdiff_t(std::size_t(order[i]) * width), width, own.begin() + std::ptrdiff_t(i * width));
            return Column(own);
        };
        front_ = round;
        JobTable& jobs = front_.jobs;
        jobs.submit = choose(0, jobs.submit, 1), jobs.procs = choose(1, jobs.procs, 1), jobs.walltime = choose(2, jobs.walltime, 1);
        jobs.deadline = choose(3, jobs.deadline, 1), jobs.latest = choose(4, jobs.latest, 1), jobs.user = choose(5, jobs.user, 1);
        jobs.amounts = round.width() == 1 ? jobs.procs : choose(6, jobs.amounts, round.width());
        front_past_.clear();
        for (std::size_t i = 0; i < front_jobs_; ++i) {
            const auto row = round.jobs.past.row(std::size_t(order[i]));
            front_past_.insert(front_past_.end(), row.begin(), row.end());
        }
        jobs.past = {front_past_.data(), front_jobs_, round.jobs.past.columns};
        front_.planned = jobs.submit, front_.occupied = jobs.walltime;  // nothing looks at them
    }
};

}  // namespace planbatch
