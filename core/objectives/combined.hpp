// Objectives made of objectives: weighted sums, and one before another.
#pragma once
#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "objective.hpp"

namespace planbatch {

// cost / (cost + one day): grows with the cost and stays below one.
inline double squashed(double cost) { return cost / (cost + 86400.0); }

// Σ weightₖ · costₖ.
class WeightedSum : public Objective {
  public:
    WeightedSum(std::vector<double> weights, std::vector<std::shared_ptr<const Objective>> objectives)
        : weights_(std::move(weights)), objectives_(std::move(objectives)) {
        require(weights_.size() == objectives_.size() && !weights_.empty() && !std::ranges::count(objectives_, nullptr), "weighted sum: one weight per objective");
    }
    auto arguments() const { return std::tie(weights_, objectives_); }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        double total = 0.0;  // from the last part to the first
        for (std::size_t k = weights_.size(); k-- > 0;) {
            const double part = weights_[k] * objectives_[k]->cost(start, jobs, now);
            total = k + 1 == weights_.size() ? part : part + total;
        }
        return total;
    }
    bool uses_deadlines() const override {
        return std::ranges::any_of(objectives_, [](const auto& objective) { return objective->uses_deadlines(); });
    }

  private:
    std::vector<double> weights_;
    std::vector<std::shared_ptr<const Objective>> objectives_;
};

// A cost with a second criterion for searches; see Objective::guide.
class Guided : public Objective {
  public:
    Guided(std::shared_ptr<const Objective> objective, std::shared_ptr<const Objective> guide) : objective_(std::move(objective)), guide_(std::move(guide)) {}
    auto arguments() const { return std::tie(objective_, guide_); }
    std::shared_ptr<const History> history() const override { return objective_->history(); }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override { return objective_->cost(start, jobs, now); }
    const Objective& surrogate() const override { return objective_->surrogate(); }
    bool uses_deadlines() const override { return objective_->uses_deadlines(); }
    bool counts(const JobTable& jobs, std::size_t i) const override { return objective_->counts(jobs, i); }
    bool has_guide() const override { return true; }
    double guide(Column start, const JobTable& jobs, std::int64_t now) const override { return guide_->cost(start, jobs, now); }

  private:
    std::shared_ptr<const Objective> objective_, guide_;
};

// ⌊cost₁ / step⌋ + squashed(cost₂): the second counts only between plans that are equal in the first.
class Lexicographic : public Objective {
  public:
    Lexicographic(std::shared_ptr<const Objective> first, std::shared_ptr<const Objective> then, double step)
        : first_(std::move(first)), then_(std::move(then)), step_(step) {}
    auto arguments() const { return std::tie(first_, then_, step_); }
    const Objective& leading() const override { return first_->leading(); }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        const double whole = whole_steps(first_->cost(start, jobs, now));
        return whole + squashed(then_->cost(start, jobs, now));
    }
    // If the first part has a surrogate, searches use that, and what guides the first.
    const Objective& surrogate() const override { return has_surrogate() ? first_->surrogate() : *this; }
    bool has_guide() const override { return has_surrogate() && first_->has_guide(); }
    double guide(Column start, const JobTable& jobs, std::int64_t now) const override { return first_->guide(start, jobs, now) / step_; }
    bool uses_deadlines() const override { return first_->uses_deadlines() || then_->uses_deadlines(); }

  private:
    std::shared_ptr<const Objective> first_, then_;
    double step_;

    bool has_surrogate() const { return &first_->surrogate() != first_.get(); }

    // As Python's value // step.
    double whole_steps(double value) const {
        const double rest = std::fmod(value, step_);
        double steps = (value - rest) / step_;
        if (rest != 0.0 && rest < 0.0) steps -= 1.0;
        if (steps == 0.0) return std::copysign(0.0, value / step_);
        const double floored = std::floor(steps);
        return steps - floored > 0.5 ? floored + 1.0 : floored;
    }
};

}  // namespace planbatch
