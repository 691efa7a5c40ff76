// Waiting times: their mean (PLAN 1) and mean square (PLAN 2) of Zheng et al. 2016, Section IV-B, and powers.
#pragma once
#include <numeric>
#include <tuple>
#include <vector>

#include "objective.hpp"

namespace planbatch {

inline double wait_of(Column start, const JobTable& jobs, std::size_t i) { return double(start[i] - jobs.submit[i]); }

// (1/n) Σ wait, in seconds (PLAN 1).
class MeanWait : public Objective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        return mean_of(sum_of_whole_numbers(start.size(), [&](std::size_t i) { return wait_of(start, jobs, i); }), start.size());
    }
};

// (1/n) Σ wait², in seconds² (PLAN 2).
class MeanSquaredWait : public Objective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        const auto square = [&](std::size_t i) {
            const double wait = wait_of(start, jobs, i);
            return wait * wait;
        };
        return mean_of(sum_of_whole_numbers(start.size(), square), start.size());
    }
};

// (1/n) Σ wait⁴, in seconds⁴.
inline double fourth_wait_of(Column start, const JobTable& jobs, std::size_t i) {
    const double wait = wait_of(start, jobs, i), square = wait * wait;
    return square * square;
}
using MeanFourthWait = MeanOf<fourth_wait_of>;

// (1/n) Σ wait^p, in seconds^p.
class MeanPoweredWait : public Objective {
  public:
    explicit MeanPoweredWait(double power) : power_(power) {}
    auto arguments() const { return std::tie(power_); }
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        return mean_of(sum_of(start.size(), [&](std::size_t i) { return std::pow(wait_of(start, jobs, i), power_); }), start.size());
    }

  private:
    double power_;
};

// Σ procs · wait / Σ procs, in seconds: the mean wait of a processor's worth of work.
class MeanAreaWait : public Objective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        double total = 0.0, weight = 0.0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            total += double(jobs.procs[i]) * wait_of(start, jobs, i);
            weight += double(jobs.procs[i]);
        }
        return total / std::max(weight, 1.0);
    }
};

// (1/U) Σᵤ (1/nᵤ) Σᵢ wait, in seconds: each of the U users counts the same; jobs of unknown users are one user's.
class MeanUserWait : public Objective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        std::vector<std::size_t> order(start.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return jobs.user[a] < jobs.user[b]; });
        double total = 0.0;
        std::size_t users = 0;
        for (std::size_t i = 0; i < order.size(); ++users) {
            const std::int64_t user = jobs.user[order[i]];
            double own = 0.0;
            std::size_t count = 0;
            for (; i < order.size() && jobs.user[order[i]] == user; ++i, ++count) own += wait_of(start, jobs, order[i]);
            total += own / double(count);
        }
        return mean_of(total, users);
    }
};

}  // namespace planbatch
