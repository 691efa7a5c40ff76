// What the start of each job adds to a cost, learnt from the objective alone: a parabola through three starts, and, where
// that does not fit, the differences from it at equal steps.
//
// The cost of a plan in which all jobs start now is known; in others one job starts later. Two in which most do tell whether
// costs add up, and whether parabolas fit.
#pragma once
#include <cmath>

#include "../interrupt.hpp"
#include "../objectives/objective.hpp"
#include "../round.hpp"

namespace planbatch {

// The cost of one job as a function of its start (s after now), less its cost if it starts now.
struct MarginalCost {
    static constexpr std::size_t steps = 32;

    double slope = 0.0, square = 0.0;  // of the parabola
    const double* bends = nullptr;     // steps + 1: the cost less the parabola; null if it is one
    double step = 1.0;                 // seconds from one bend to the next

    double at(double start) const {
        const double parabola = start * (slope + start * square);
        if (!bends) return parabola;
        const std::size_t i = part(start);
        return parabola + bends[i] + (start / step - double(i)) * (bends[i + 1] - bends[i]);
    }
    double slope_at(double start) const {
        if (!bends) return parabola_slope_at(start);
        const std::size_t i = part(start);
        return parabola_slope_at(start) + (bends[i + 1] - bends[i]) / step;
    }
    double parabola_slope_at(double start) const { return slope + 2.0 * square * start; }

  private:
    std::size_t part(double start) const { return std::size_t(std::min(start / step, double(steps - 1))); }
};

class MarginalCosts {
  public:
    MarginalCosts() = default;
    MarginalCosts(MarginalCosts&&) = default;  // not copied, since costs point to their bends
    MarginalCosts& operator=(MarginalCosts&&) = default;

    // How many evaluations the parabolas take, and the bends.
    static std::size_t evaluations(std::size_t jobs) { return 2 * jobs + 2; }
    static std::size_t evaluations_of_bends(std::size_t jobs) { return (MarginalCost::steps - 1) * jobs; }

    // The round and the objective must live as long as they are used here. `last`: the last start of some plan.
    void begin(const Round& round, const Objective& objective, std::int64_t last) {
        round_ = round, objective_ = &objective;
        length_ = std::max<std::int64_t>(last - round.now, 2);
        start_.assign(round.jobs.size(), round.now);
        evaluated_ = 0;
        added_.clear(), bends_.clear(), costs_.clear();
        bent_ = false;
    }
    // Evaluates one plan; true if that was the last for the parabolas, or then for the bends.
    bool step() {
        Interrupt::poll();
        const std::size_t n = start_.size(), k = evaluated_++;
        if (k == 0) {
            now_ = cost();
        } else if (k <= 2 * n) {
            added_.push_back(added((k - 1) / 2, k % 2 ? length_ / 2 : length_));
        } else if (k < evaluations(n)) {
            fit();
            return true;
        } else {
            return learn_bend(k - evaluations(n));
        }
        return false;
    }
    // Whether costs add up and are no parabolas.
    bool bent() const { return bent_; }
    // Per job; empty if costs do not add up, or are not finite.
    std::span<const MarginalCost> costs() const { return costs_; }

  private:
    static constexpr double tolerance = 1e-6;  // relative to the costs that add up
    static constexpr double most = 1e200;      // of all that is added: estimates stay finite

    Round round_{};
    const Objective* objective_ = nullptr;
    std::int64_t length_ = 2;  // from now to the last start
    std::size_t evaluated_ = 0;
    std::vector<std::int64_t> start_;  // all now
    double now_ = 0.0;                 // the cost of that
    std::vector<double> added_;        // by each job at the middle and at the end
    std::vector<double> bends_;        // of each job in turn
    std::vector<MarginalCost> costs_;
    bool bent_ = false;

    double cost() const { return objective_->cost(start_, round_.jobs, round_.now); }
    // What a job adds that starts so many seconds after now.
    double added(std::size_t job, std::int64_t later) {
        start_[job] = round_.now + later;
        const double value = cost() - now_;
        start_[job] = round_.now;
        return value;
    }
    void fit() {
        const std::int64_t half = length_ / 2;
        const double middle = double(half), last = double(length_);
        double magnitude = 0.0;
        for (std::size_t j = 0; j < start_.size(); ++j) {
            const double near = added_[2 * j], far = added_[2 * j + 1];
            const double square = (far / last - near / middle) / (last - middle), slope = near / middle - square * middle;
            costs_.push_back({slope, std::abs(square) * last > tolerance * std::abs(slope) ? rounded(square) : 0.0});
            magnitude += std::abs(near) + std::abs(far);
        }
        const bool finite = magnitude > 0.0 && magnitude < most;  // not if NaN
        if (!finite || !tell({0, length_ / 2, length_}, magnitude)) costs_.clear();
        else bent_ = !tell({length_ / 4, length_ / 4 * 3}, magnitude);
    }
    // Whether the costs tell that of a plan in which jobs start so many seconds after now, by turns.
    bool tell(std::initializer_list<std::int64_t> later, double magnitude) {
        double expected = 0.0;
        for (std::size_t j = 0; j < start_.size(); ++j) {
            const std::int64_t own = later.begin()[j % later.size()];
            start_[j] = round_.now + own, expected += costs_[j].at(double(own));
        }
        const double error = std::abs(cost() - now_ - expected);
        std::fill(start_.begin(), start_.end(), round_.now);
        return error <= tolerance * magnitude;
    }
    // True if that was the last.
    bool learn_bend(std::size_t k) {
        constexpr std::size_t steps = MarginalCost::steps;
        const std::size_t job = k / (steps - 1), i = k % (steps - 1) + 1;
        const auto bend = [&](std::int64_t later, double cost) { bends_.push_back(cost - costs_[job].at(double(later))); };
        if (i == 1) bend(0, 0.0);
        const auto later = std::int64_t(double(length_) * double(i) / double(steps));
        bend(later, added(job, later));
        if (i + 1 < steps) return false;
        bend(length_, added_[2 * job + 1]);
        if (job + 1 < start_.size()) return false;
        if (!std::all_of(bends_.begin(), bends_.end(), [](double b) { return std::abs(b) < most; })) return costs_.clear(), true;
        for (std::size_t j = 0; j < costs_.size(); ++j) costs_[j].bends = &bends_[j * (steps + 1)], costs_[j].step = double(length_) / double(steps);
        return true;
    }
    // To 24 bits, so that jobs whose costs differ by rounding errors alone have the same.
    static double rounded(double x) {
        int exponent;
        const double mantissa = std::frexp(x, &exponent);
        return std::ldexp(std::round(std::ldexp(mantissa, 24)), exponent - 24);
    }
};

}  // namespace planbatch
