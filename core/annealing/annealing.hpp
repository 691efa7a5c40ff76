// Simulated annealing in stages: from the best first plan, first the front of the queue, then wider ones. If the setting
// says so, the whole queue is then searched in tournaments and by basin hopping, by turns; for the makespan also by a
// beam search, from the start.
//
// A search may be cut into calls of any length: the result is the same.
#pragma once
#include "../beam/beam_search.hpp"
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
        front_jobs_ = std::min(setting.front_jobs, search_.size()), left_ = 0;
        whole_.begin(search_.round().jobs);
        justification_.begin(search_);
        competes_ = false, beams_ = setting.tournaments && minds_makespan(objective) && !scenarios;
        if (!beams_) return;
        front_jobs_ = search_.size(), whole_.left = 0, beamed_ = partial_passes_ = 0, in_pass_ = false;
        beam_.begin(search_.round());
        bound_ = double(beam_.bound());
    }
    // Whether the makespan is proven to be optimal.
    bool proven() const { return beams_ && dynamic_cast<const Makespan*>(&search_.objective()) && search_.cost() <= bound_; }
    OrderSearch<K, Number>& search() { return search_; }
    const OrderSearch<K, Number>& search() const { return search_; }

    static constexpr std::size_t beam_share = 3;       // evaluations of beams for one of annealing
    static constexpr double looser = 0.01;             // plans of beams may end so much later, since justification follows
    static constexpr std::size_t most_plans = 100;     // of a pass that are justified
    static constexpr std::size_t partial_passes = 10;  // between two full ones, once there are `first_passes` of these
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

    // What the next evaluations work on: so many jobs, for so many evaluations; 0 if that has not begun.
    std::pair<std::size_t, std::size_t> stage() const {
        if (searches_whole_orders()) return {search_.size(), whole_.left % (WholeOrders::rules + WholeOrders::shifts)};
        return {front_jobs_, left_};
    }
    // Anneals for so many evaluations, from one stage to the next; false if a cost was not a finite number. Call
    // end_stage after the last one.
    bool advance(std::size_t evaluations, Random& rng) {
        while (evaluations > 0 && !proven()) {
            if (setting_.tournaments && front_jobs_ == search_.size()) {
                const std::size_t count = compete(evaluations, rng);
                if (count == none) return false;
                evaluations -= count;
                continue;
            }
            if (searches_whole_orders()) {
                const std::size_t count = std::min(evaluations, whole_.left);
                if (!search_whole_orders(count, rng)) return false;
                evaluations -= count;
                continue;
            }
            if (left_ == 0) begin_stage();
            const std::size_t count = std::min(evaluations, left_);
            if (!front_search_.anneal(setting_, rng, count)) return false;
            evaluations -= count;
            if (count < left_) left_ -= count;
            else if (!end_stage()) return false;
        }
        return true;
    }
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

    BeamSearch<K, Number> beam_;
    Tournament<K, Number> tournament_;
    BasinHopping<K, Number> hopping_;
    Justification<K, Number> justification_;
    bool competes_ = false;       // whether tournaments and hopping have begun
    bool beams_ = false, in_pass_ = false;
    std::size_t beamed_ = 0;      // evaluations that went into beams
    std::size_t partial_passes_ = 0;  // since the last full one
    double bound_ = -infinity;

    static bool minds_makespan(const Objective& objective) {
        if (const auto* both = dynamic_cast<const Lexicographic*>(&objective)) return minds_makespan(*both->first());
        return dynamic_cast<const Makespan*>(&objective) != nullptr;
    }
    // So many evaluations or less of a tournament, of hopping or of a beam search, to whichever the next belong; none if
    // a cost was not a finite number. Of four evaluations beams get three; a node that is expanded is one.
    std::size_t compete(std::size_t evaluations, Random& rng) {
        if (!competes_) {
            competes_ = true, left_ = std::size_t(never);
            tournament_.begin(search_, justification_, setting_);
            hopping_.begin(search_, justification_, setting_);
        }
        const bool between = tournament_.between_cycles() && hopping_.between_cycles();
        if (!beams_ || (!in_pass_ && (!between || beamed_ > beam_share * (tournament_.spent() + hopping_.spent())))) return anneal(evaluations, rng);
        if (!in_pass_) {
            std::int64_t last = 0;
            for (std::size_t i = 0; i < search_.size(); ++i) last = std::max(last, search_.start()[i] + search_.round().jobs.walltime[i]);
            const std::int64_t known = last - search_.round().now;
            if (double(known) <= bound_) {  // nothing is left for beams; what comes behind the makespan is
                beams_ = false;
                return anneal(evaluations, rng);
            }
            begin_pass(known, rng);
        }
        ++beamed_;
        in_pass_ = !beam_.step(rng);
        return in_pass_ || try_plans() ? 1 : none;
    }
    // Begins a beam search of all jobs, or of the last ones of the best plan, which ends `known` seconds after now: those
    // that start in its last tenth to half.
    void begin_pass(std::int64_t known, Random& rng) {
        in_pass_ = true;
        const std::int64_t target = known - 1 + std::int64_t(looser * double(known));
        if (beam_.passes() >= first_passes && partial_passes_ < partial_passes) {
            ++partial_passes_;
            const Column start = search_.start();
            const std::int64_t last = *std::max_element(start.begin(), start.end()) - search_.round().now;
            beam_.begin_partial_pass(target, start, std::min(last, std::int64_t(double(known) * (0.5 + 0.4 * rng.draw()))));
        } else {
            partial_passes_ = 0;
            beam_.begin_pass(target);
        }
    }
    // Tries the plans of a pass, evenly chosen if there are many, and justifies them; false if a cost was not finite.
    bool try_plans() {
        const std::size_t plans = beam_.plans(), count = std::min(plans, most_plans);
        for (std::size_t p = 0; p < count; ++p) {
            const Order order = beam_.order(p * plans / count);
            std::copy(order.begin(), order.end(), search_.trial_order().begin());
            const double cost = search_.try_order();
            if (std::isnan(cost)) return false;
            if (cost == infinity) continue;
            const double energy = justification_.energy(cost, search_.trial());
            if (!justification_.improve(search_.trial(), energy, [](Column, double, double) {})) return false;
        }
        return true;
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
    bool search_whole_orders(std::size_t count, Random& rng) {
        for (; count > 0; --count) {
            const bool rules = whole_.draws_rules();
            double value;
            if (rules) {
                whole_.draw_rule(search_.round(), rng, keys_);
                value = search_.try_sorted(keys_);
            } else {
                whole_.draw_shift(search_.order(), search_.trial_order(), rng);
                value = search_.try_order();
            }
            if (std::isnan(value)) return false;
            if (rules) whole_.learn(value);
            --whole_.left;
        }
        return true;
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
