// Simulated annealing of the front of a queue (Zheng et al. 2016, Section IV-C, Algorithm 1): moves and temperatures.
//
// It can stop and continue at any evaluation. Only the number of evaluations decides, never the clock. The jobs of the
// front are numbered by their places in the order that it begins with.
#pragma once
#include <cmath>

#include "../first_plans.hpp"
#include "../plan_evaluator.hpp"
#include "../stable_order.hpp"
#include "ejection.hpp"
#include "late_jobs.hpp"
#include "setting.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class FrontSearch {
  public:
    static constexpr std::size_t stage = 2;  // evaluations per job of a front, before the front grows
    static constexpr double late = 0.3;      // probability that a late job is pulled forward, if there is one
    static constexpr int tries = 20;         // pairs of places drawn until their jobs do not start together

    Order best() const { return best_; }
    Column best_start() const { return best_start_; }
    double best_cost() const { return best_cost_; }
    double best_energy() const { return best_energy_; }
    bool guided() const { return guided_; }

    // Starts from the order 0 … n − 1.
    void begin(const Round& front, const Objective& objective, const Scenarios* scenarios, const Setting& setting) {
        prepare(front, objective, scenarios, setting);
        std::iota(candidate_.begin(), candidate_.end(), 0);
        restart(candidate_, setting, front.jobs.size() <= setting.front_jobs ? double(stage * setting.front_jobs) : 0.0);
    }
    // For several starts; see restart.
    void prepare(const Round& front, const Objective& objective, const Scenarios* scenarios, const Setting& setting) {
        const std::size_t n = front.jobs.size();
        evaluator_.prepare(front, objective, scenarios);
        if (setting.eject > 0.0) ejection_.prepare(front, evaluator_.decoder().base());
        guided_ = setting.tournaments && objective.has_guide() && !scenarios;
        late_jobs_.prepare(front, setting.tournaments && setting.eject > 0.0 && objective.uses_deadlines());
        for (auto* order : {&order_, &candidate_, &best_, &old_order_}) order->resize(n);
        for (auto* starts : {&start_, &present_, &best_start_}) starts->resize(n);
        std::fill(start_.begin(), start_.end(), front.now);
        floor_ = evaluator_.soonest_cost();
        if (guided_) floor_ += evaluator_.guide(start_);
        sizes_of(front, area_);
        for (std::size_t i = 0; i < n; ++i) area_[i] *= double(front.jobs.walltime[i]);
    }
    // Starts from an order, and moves jobs near the front for so many evaluations. From an order that breaks a promise, any
    // plan that keeps them all is better.
    void restart(const std::vector<JobNumber>& order, const Setting& setting, double young = 0.0) {
        std::copy(order.begin(), order.end(), candidate_.begin());
        best_cost_ = evaluator_.cost(candidate_, start_);
        young_ = young;
        best_energy_ = present_energy_ = energy_of_decoded(best_cost_);
        best_ = candidate_, best_start_ = present_ = start_;
        if (setting.by_start) sort_(start_.data(), order_);
        else order_ = candidate_;
        late_jobs_.find(order_, present_);
        evaluator_.decoder().base_changed(0);
        temperature_ = setting.hottest;
        left_ = moves_ = setting.moves;
    }

    // Evaluates so many neighbours; returns false if a cost was not a finite number.
    //
    // A worse neighbour is accepted with exp(−Δ / (T·s)), s = cost of the best − cost if every job started now, with
    // `per_job` divided by the number of jobs.
    bool anneal(const Setting& setting, Random& rng, std::size_t count) {
        const double parts = setting.per_job ? double(order_.size()) : 1.0;
        for (; count > 0; --count) {
            const auto [first, last] = draw_neighbour(setting, rng);
            const double value = evaluator_.neighbour_cost(candidate_, first, last, present_, start_);
            if (std::isnan(value)) return false;
            if (value < infinity) {  // else it breaks a promise
                const double energy = energy_of_decoded(value);
                const double heat = temperature_ * ((best_energy_ - floor_) / parts);
                const double slack = -heat * std::log(1.0 - rng.draw());
                if (energy <= present_energy_ + slack) accept(value, energy, setting);
            }
            cool(setting);
        }
        return true;
    }

  private:
    PlanEvaluator<K, Number> evaluator_;
    Ejection<K, Number> ejection_;
    LateJobs late_jobs_;
    StableSort sort_;
    std::vector<JobNumber> order_, candidate_, best_, old_order_;
    std::vector<std::int64_t> start_, present_, best_start_;
    std::vector<double> area_;
    bool guided_ = false;  // whether energies are costs and what guides the search behind them
    double present_energy_ = 0.0, best_energy_ = 0.0, best_cost_ = 0.0, floor_ = 0.0;
    double temperature_ = 0.0, left_ = 0.0, moves_ = 0.0, young_ = 0.0;

    // Of the plan that was decoded last.
    double energy_of_decoded(double cost) const { return guided_ ? cost + evaluator_.guide(start_, young_ > 0.0) : cost; }

    std::size_t draw_place(Random& rng) const { return std::size_t(double(order_.size()) * rng.draw()); }

    // At the beginning of the search a place near the front, of the jobs that are about to start, with probability
    // `front`; later that of the larger of two jobs with probability `large`.
    std::size_t place_to_move(const Setting& setting, Random& rng) const {
        const std::size_t i = draw_place(rng);
        if (young_ > 0.0 && rng.draw() < setting.front) {
            const double x = rng.draw();
            return std::size_t(double(order_.size()) * (x * x));
        }
        if (setting.large > 0.0 && rng.draw() < setting.large) {
            const std::size_t j = draw_place(rng);
            if (area_[std::size_t(order_[j])] > area_[std::size_t(order_[i])]) return j;
        }
        return i;
    }

    // Another place than i: at a log-uniform distance with probability `near`, else any other uniformly.
    std::size_t other_place(std::size_t place, const Setting& setting, Random& rng) const {
        const auto n = std::int64_t(order_.size()), i = std::int64_t(place);
        if (setting.near > 0.0 && rng.draw() < setting.near) {
            const auto distance = std::int64_t(std::pow(double(n), rng.draw()));
            std::int64_t j = rng.draw() < 0.5 ? i + distance : i - distance;
            if (0 <= j && j < n) return std::size_t(j);
            j = 2 * i - j;
            return std::size_t(0 <= j && j < n ? j : (i + 1) % n);
        }
        const auto j = std::int64_t(double(n - 1) * rng.draw());
        return std::size_t(j >= i ? j + 1 : j);
    }

    bool start_together(std::size_t i, std::size_t j) const {
        return present_[std::size_t(order_[i])] == present_[std::size_t(order_[j])];
    }

    // Writes a random neighbour into the candidate; returns the first and the last place that differ.
    std::pair<std::size_t, std::size_t> draw_neighbour(const Setting& setting, Random& rng) {
        std::copy(order_.begin(), order_.end(), candidate_.begin());
        if (!late_jobs_.empty() && rng.draw() < late) return pull_late_job(rng);
        std::size_t i = place_to_move(setting, rng), j = other_place(i, setting, rng);
        if (setting.by_start)
            for (int t = 0; t < tries && start_together(i, j); ++t)
                i = place_to_move(setting, rng), j = other_place(i, setting, rng);
        const bool block = setting.block > 0.0 && rng.draw() < setting.block;
        if (!block && setting.eject > 0.0 && rng.draw() < setting.eject)
            return pull(std::max(i, j), std::min(i, j), rng);
        const auto at = [this](std::size_t place) { return candidate_.begin() + std::ptrdiff_t(place); };
        const std::size_t jobs = block ? std::min(order_.size() - std::max(i, j), block_length(rng)) : 1;
        if (!block && setting.swap > 0.0 && rng.draw() < setting.swap) std::swap(candidate_[i], candidate_[j]);
        else if (i < j) std::rotate(at(i), at(i + jobs), at(j + jobs));
        else std::rotate(at(j), at(i), at(i + jobs));
        return {std::min(i, j), std::max(i, j) + jobs - 1};
    }
    std::pair<std::size_t, std::size_t> pull(std::size_t from, std::size_t to, Random& rng) {
        return {ejection_.pull(order_, present_, from, to, candidate_, rng), from};
    }
    // By a log-uniform distance.
    std::pair<std::size_t, std::size_t> pull_late_job(Random& rng) {
        const std::size_t from = late_jobs_.draw(order_, present_, rng);
        return pull(from, from - std::size_t(std::pow(double(from), rng.draw())), rng);
    }
    // Log-uniform, up to the square root of the jobs, and one more.
    std::size_t block_length(Random& rng) const { return 1 + std::size_t(std::pow(double(order_.size()), 0.5 * rng.draw())); }

    void accept(double value, double energy, const Setting& setting) {
        std::copy(start_.begin(), start_.end(), present_.begin());
        present_energy_ = energy;
        if (value < best_cost_ || (guided_ && value == best_cost_ && energy < best_energy_)) {
            best_cost_ = value, best_energy_ = energy;
            std::copy(candidate_.begin(), candidate_.end(), best_.begin());
            std::copy(start_.begin(), start_.end(), best_start_.begin());
        }
        continue_from(candidate_, setting);
    }

    void cool(const Setting& setting) {
        young_ -= 1.0, left_ -= 1.0;
        if (left_ >= 1.0) return;
        temperature_ *= setting.cooling;
        if (temperature_ <= setting.coldest) {
            temperature_ = setting.hottest, moves_ *= setting.growth;
            present_ = best_start_, present_energy_ = best_energy_;
            continue_from(best_, setting);
        }
        left_ += moves_;
    }

    void continue_from(const std::vector<JobNumber>& order, const Setting& setting) {
        old_order_.swap(order_);
        std::copy(order.begin(), order.end(), order_.begin());
        if (setting.by_start) sort_by_start();
        late_jobs_.find(order_, present_);
        const auto changed = std::mismatch(order_.begin(), order_.end(), old_order_.begin()).first;
        evaluator_.decoder().base_changed(std::size_t(changed - order_.begin()));
    }
    // The order is nearly sorted already; jobs that start together keep their order.
    void sort_by_start() {
        for (std::size_t k = 1; k < order_.size(); ++k) {
            const JobNumber job = order_[k];
            const std::int64_t start = present_[std::size_t(job)];
            std::size_t place = k;
            for (; place > 0 && present_[std::size_t(order_[place - 1])] > start; --place) order_[place] = order_[place - 1];
            order_[place] = job;
        }
    }
};

}  // namespace planbatch
