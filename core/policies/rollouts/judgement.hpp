// The judgement of candidates: all are simulated in the same futures, one future after the other.
//
// Since they meet the same futures, their differences to the first are compared, not their costs.
#pragma once
#include <cmath>

#include "../../objectives/objective.hpp"
#include "../policy.hpp"
#include "candidates.hpp"
#include "easy_simulation.hpp"

namespace planbatch {

// The candidate with the least mean cost of those that are surely better than the first, or the first: by so many
// standard errors its mean difference to the first has to be below 0. `total` and `square` are the sums of these
// differences and of their squares over the futures.
inline std::size_t best_candidate(Reals total, Reals square, std::size_t futures, double confidence) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < total.size(); ++c) {
        const double spread = std::sqrt(std::max(square[c] - total[c] * total[c] / double(futures), 0.0));
        if (total[c] < total[best] && -total[c] > confidence * spread) best = c;
    }
    return best;
}

template <std::size_t K>
class Judgement {
  public:
    // Simulations look at the first waiting jobs in the base order, and at those that a candidate starts.
    void begin(const Round& round, const Candidates& candidates, Order base) {
        choose_jobs(candidates, base);
        jobs_.choose(round.jobs, which_, round.width());
        sets_.clear();
        for (std::size_t c = 0; c < candidates.size(); ++c)
            for (const std::size_t job : which_) sets_.push_back(candidates.set(c)[job]);
        total_.assign(candidates.size(), 0.0), square_.assign(candidates.size(), 0.0);
        futures_ = 0, base_total_ = 0.0;
    }
    std::size_t futures() const { return futures_; }

    // Draws a future, in which jobs come for `span` seconds, and simulates every candidate in it.
    void judge_in_a_future(const Round& round, const QueueOrder& order, const Objective& objective, std::int64_t span, Random& rng) {
        future_.draw(round, jobs_.table(), order, span, rng);
        start_.resize(future_.jobs().size());
        double first = 0.0;
        for (std::size_t c = 0; c < total_.size(); ++c) {
            simulation_.run(round, future_, std::span<const char>(sets_).subspan(c * which_.size(), which_.size()), start_);
            const double cost = objective.cost(start_, future_.jobs(), round.now);
            if (!std::isfinite(cost)) throw CostNotFinite();
            if (c == 0) first = cost, base_total_ += cost;
            total_[c] += cost - first;
            square_[c] += (cost - first) * (cost - first);
        }
        ++futures_;
    }

    // The candidate to start, the first if no future was simulated; reports what was simulated.
    std::size_t conclude(double confidence, Report& report) const {
        if (futures_ == 0) return 0;
        const std::size_t best = best_candidate(total_, square_, futures_, confidence);
        const double samples = double(futures_);
        report.evaluations = std::int64_t(futures_ * total_.size());
        report.seed_cost = base_total_ / samples;
        report.cost = (base_total_ + total_[best]) / samples;
        return best;
    }

  private:
    static constexpr std::size_t most_waiting = 200;
    std::vector<std::size_t> which_;  // the waiting jobs that simulations look at, ascending
    OwnedJobs jobs_;
    std::vector<char> sets_;                // which of them each candidate starts
    std::vector<double> total_, square_;    // sums of the differences to the first candidate's cost, and of their squares
    double base_total_ = 0.0;               // the sum of the first candidate's costs
    std::size_t futures_ = 0;
    Future future_;
    EasySimulation<K> simulation_;
    std::vector<std::int64_t> start_;

    void choose_jobs(const Candidates& candidates, Order base) {
        std::vector<char> looked_at(base.size(), 0);
        for (std::size_t p = 0; p < std::min(base.size(), most_waiting); ++p) looked_at[std::size_t(base[p])] = 1;
        for (std::size_t c = 0; c < candidates.size(); ++c)
            for (std::size_t i = 0; i < base.size(); ++i)
                if (candidates.set(c)[i]) looked_at[i] = 1;
        which_.clear();
        for (std::size_t i = 0; i < base.size(); ++i)
            if (looked_at[i]) which_.push_back(i);
    }
};

}  // namespace planbatch
