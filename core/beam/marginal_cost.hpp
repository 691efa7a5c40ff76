// What the start of each job adds to a cost, learnt from the objective alone: a parabola through three starts.
//
// The cost of a plan in which all jobs start now is known; in two others per job, it starts at the middle or at the end of a
// plan, and all others now. Whether costs add up so, a plan with starts of all three kinds tells.
#pragma once
#include <array>
#include <cmath>

#include "../interrupt.hpp"
#include "../objectives/objective.hpp"
#include "../round.hpp"

namespace planbatch {

// The cost of one job as a function of its start (s after now), less its cost if it starts now.
struct MarginalCost {
    double slope = 0.0, square = 0.0;

    double at(double start) const { return start * (slope + start * square); }
    double slope_at(double start) const { return slope + 2.0 * square * start; }
};

class MarginalCosts {
  public:
    // So many evaluations it takes.
    static std::size_t evaluations(std::size_t jobs) { return 2 * jobs + 2; }

    // The round and the objective must live as long as they are used here. `last`: the last start of some plan.
    void begin(const Round& round, const Objective& objective, std::int64_t last) {
        round_ = round, objective_ = &objective;
        const std::int64_t length = std::max<std::int64_t>(last - round.now, 2);
        starts_ = {round.now, round.now + length / 2, round.now + length};
        start_.assign(round.jobs.size(), round.now);
        costs_.clear();
        job_costs_.clear();
    }
    // Evaluates one plan; true if that was the last.
    bool step() {
        Interrupt::poll();
        const std::size_t done = costs_.size(), n = start_.size();
        if (done == 0 || done > 2 * n) {
            if (done > 0)
                for (std::size_t j = 0; j < n; ++j) start_[j] = starts_[j % 3];
            costs_.push_back(cost());
        } else {
            const std::size_t j = (done - 1) / 2;
            start_[j] = starts_[1 + (done - 1) % 2];
            costs_.push_back(cost());
            start_[j] = starts_[0];
        }
        if (costs_.size() < evaluations(n)) return false;
        fit();
        return true;
    }
    // Per job; empty if costs do not add up, or are not finite.
    std::span<const MarginalCost> costs() const { return job_costs_; }

  private:
    static constexpr double tolerance = 1e-6;  // relative to the costs that add up
    static constexpr double most = 1e200;      // of all that is added: estimates stay finite

    Round round_{};
    const Objective* objective_ = nullptr;
    std::array<std::int64_t, 3> starts_{};  // now, at the middle, at the end
    std::vector<std::int64_t> start_;
    std::vector<double> costs_;  // in the order of evaluation
    std::vector<MarginalCost> job_costs_;

    double cost() const { return objective_->cost(start_, round_.jobs, round_.now); }

    void fit() {
        const double middle = double(starts_[1] - starts_[0]), last = double(starts_[2] - starts_[0]);
        double expected = 0.0, magnitude = 0.0;
        for (std::size_t j = 0; j < start_.size(); ++j) {
            const double near = costs_[1 + 2 * j] - costs_[0], far = costs_[2 + 2 * j] - costs_[0];
            const double square = (far / last - near / middle) / (last - middle), slope = near / middle - square * middle;
            job_costs_.push_back({slope, std::abs(square) * last > tolerance * std::abs(slope) ? rounded(square) : 0.0});
            expected += j % 3 == 0 ? 0.0 : j % 3 == 1 ? near : far;
            magnitude += std::abs(near) + std::abs(far);
        }
        const double error = std::abs(costs_.back() - costs_[0] - expected);
        if (!(error <= tolerance * magnitude) || !(magnitude > 0.0) || !(magnitude < most)) job_costs_.clear();  // NaN, too
    }
    // To 24 bits, so that jobs whose costs differ by rounding errors alone have the same.
    static double rounded(double x) {
        int exponent;
        const double mantissa = std::frexp(x, &exponent);
        return std::ldexp(std::round(std::ldexp(mantissa, 24)), exponent - 24);
    }
};

}  // namespace planbatch
