// Deadlines. Tardiness of a job is max(0, end − deadline), with the planned end = start + walltime.
#pragma once
#include <cmath>

#include "combined.hpp"
#include "wait.hpp"

namespace planbatch {

inline std::int64_t lateness_of(Column start, const JobTable& jobs, std::size_t i) {
    return start[i] + jobs.walltime[i] - jobs.deadline[i];
}
inline double tardiness_of(Column start, const JobTable& jobs, std::size_t i) { return double(std::max<std::int64_t>(0, lateness_of(start, jobs, i))); }

// Jobs without a deadline cost nothing, and often all deadlines are met. So waits guide the search, by less than a second.
class DeadlineObjective : public Objective {
  public:
    bool uses_deadlines() const override { return true; }
    bool counts(const JobTable& jobs, std::size_t i) const override { return jobs.deadline[i] != never; }
    bool has_guide() const override { return true; }
    double guide(Column start, const JobTable& jobs, std::int64_t now) const override {
        return squashed(std::sqrt(MeanSquaredWait().cost(start, jobs, now)));
    }
};

// Σ tardiness, in seconds.
class TotalTardiness : public DeadlineObjective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        return sum_of(start.size(), [&](std::size_t i) { return tardiness_of(start, jobs, i); });
    }
};

// (1/n) Σ tardiness⁴.
inline double fourth_tardiness_of(Column start, const JobTable& jobs, std::size_t i) {
    const double square = tardiness_of(start, jobs, i) * tardiness_of(start, jobs, i);
    return square * square;
}
using MeanFourthTardiness = MeanOf<fourth_tardiness_of>;

// The maximum tardiness, in seconds.
class MaximumTardiness : public DeadlineObjective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        std::int64_t most = 0;
        for (std::size_t i = 0; i < start.size(); ++i) most = std::max(most, lateness_of(start, jobs, i));
        return double(most);
    }
    // Most moves leave the maximum as it is. It falls sooner if the others are smaller, too.
    double guide(Column start, const JobTable& jobs, std::int64_t now) const override {
        return std::sqrt(std::sqrt(surrogate().cost(start, jobs, now))) + DeadlineObjective::guide(start, jobs, now);
    }
    const Objective& surrogate() const override { return fourth_; }

  private:
    MeanFourthTardiness fourth_;
};

// How many jobs end after their deadline.
class MissedDeadlines : public DeadlineObjective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        std::int64_t missed = 0;
        for (std::size_t i = 0; i < start.size(); ++i) missed += lateness_of(start, jobs, i) > 0;
        return double(missed);
    }
    // A job that is late by less, relative to its walltime, is nearer to being in time.
    double guide(Column start, const JobTable& jobs, std::int64_t now) const override {
        const double relative = sum_of(start.size(), [&](std::size_t i) {
            const double tardiness = tardiness_of(start, jobs, i);
            return tardiness / (tardiness + double(jobs.walltime[i]));
        });
        return 0.5 * relative + 0.1 * DeadlineObjective::guide(start, jobs, now);
    }
};

// Total tardiness first, then the mean wait of the jobs without a deadline (N'takpé and Suter 2017, Section 4).
class RegularWait : public Objective {
  public:
    bool uses_deadlines() const override { return true; }
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        double tardiness = 0.0, wait = 0.0;
        std::size_t regular = 0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            if (jobs.deadline[i] == never) {
                wait += wait_of(start, jobs, i);
                ++regular;
            } else {
                tardiness += tardiness_of(start, jobs, i);
            }
        }
        return tardiness + squashed(mean_of(wait, regular));
    }
};

}  // namespace planbatch
