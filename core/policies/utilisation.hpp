// How evenly the resources of a machine are used (Liu, Luan, Wang, Qian, NPC 2016).
//
// S is the utilisation of each of K resources: the share of its capacity that is in use; R the demand of a job, also as
// shares.
#pragma once
#include <numeric>

#include "../round.hpp"

namespace planbatch {

class Utilisation {
  public:
    // S of the running jobs and of those that the plan starts now.
    void begin(const Round& round, Column plan) {
        const std::size_t width = round.width();
        std::vector<std::int64_t> used(width);
        for (std::size_t k = 0; k < width; ++k) used[k] = round.capacities[k] - round.free[k];
        for (std::size_t i = 0; i < plan.size(); ++i)
            if (plan[i] == round.now)
                for (std::size_t k = 0; k < width; ++k) used[k] += round.jobs.amounts[i * width + k];
        capacities_.assign(round.capacities.begin(), round.capacities.end());
        used_.resize(width), after_.resize(width);
        for (std::size_t k = 0; k < width; ++k) used_[k] = double(used[k]) / capacities_[k];
    }

    // Writes S + R, which the functions below look at.
    template <class Demand>
    void add(const Demand& demand) {
        for (std::size_t k = 0; k < used_.size(); ++k) after_[k] = used_[k] + double(demand[k]) / capacities_[k];
    }
    // S becomes S + R.
    void keep() { used_ = after_; }

    // Σ Sᵢ / K.
    double mean() const { return mean(used_); }
    double mean_after() const { return mean(after_); }
    // maxᵢ Sᵢ / (Σ Sᵢ / K): a side of inequality (2), and the balance measure of (1); 1 for an idle machine.
    double imbalance() const { return imbalance(used_); }
    double imbalance_after() const { return imbalance(after_); }
    // Equation (1): the balance measure with the job, times the fullness modifier 1 − Σ (Sᵢ + Rᵢ) / K.
    double score() const { return imbalance_after() * (1.0 - mean_after()); }

  private:
    std::vector<double> capacities_, used_, after_;

    static double sum(Reals shares) { return std::accumulate(shares.begin(), shares.end(), 0.0); }
    static double mean(Reals shares) { return sum(shares) / double(shares.size()); }
    static double imbalance(Reals shares) {
        const double total = sum(shares);
        if (!(total > 0.0)) return 1.0;
        return *std::max_element(shares.begin(), shares.end()) * double(shares.size()) / total;
    }
};

}  // namespace planbatch
