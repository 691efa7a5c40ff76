// Waits with weights: by urgency, and a family of powers of area, size, length, age, expected run and fair-share.
#pragma once
#include "../user_history/expectation.hpp"
#include "../user_history/fair_share.hpp"
#include "wait.hpp"

namespace planbatch {

// (1/n) Σ urgency · wait, with urgency = 1 + (area / mean area) · (age / scale)² and age = now − submit.
class MeanAgedWait : public Objective {
  public:
    explicit MeanAgedWait(double scale) : scale_(scale) {}
    double scale() const { return scale_; }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        const std::size_t n = start.size();
        double area = 0.0;
        for (std::size_t i = 0; i < n; ++i) area += double(jobs.procs[i]) * double(jobs.walltime[i]);
        const double mean = mean_of(area, n);
        double total = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const double age = std::max(0.0, double(now - jobs.submit[i])) / scale_;
            const double weight = 1.0 + double(jobs.procs[i]) * double(jobs.walltime[i]) / mean * age * age;
            total += weight * wait_of(start, jobs, i);
        }
        return mean_of(total, n);
    }

  private:
    double scale_;
};

// (1/n) Σ area^a · procs^s · walltime^l · age^g · E[run]^r · share^f · wait^power; each base counts as at least 1,
// the fair-share factor as at least 1e-6.
class MeanWeightedWait : public Objective {
  public:
    struct Exponents {
        double power, area, size, length, age, run, share;
    };
    explicit MeanWeightedWait(const Exponents& exponents) : e_(exponents) {}
    const Exponents& exponents() const { return e_; }
    std::shared_ptr<const History> history() const override {
        if (e_.run != 0.0) return std::make_shared<ExpectedRunTimes>();
        if (e_.share != 0.0) return std::make_shared<FairShare>(604800.0);  // a week, Slurm's default
        return nullptr;
    }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        double total = 0.0;
        for (std::size_t i = 0; i < start.size(); ++i)
            total += weight(jobs, i, now) * std::pow(std::max(0.0, wait_of(start, jobs, i)), e_.power);
        return mean_of(total, start.size());
    }
    double weight(const JobTable& jobs, std::size_t i, std::int64_t now) const {
        const double procs = std::max(1.0, double(jobs.procs[i])), walltime = std::max(1.0, double(jobs.walltime[i]));
        double weight = 1.0;
        if (e_.area + e_.size != 0.0) weight *= std::pow(procs, e_.area + e_.size);
        if (e_.area + e_.length != 0.0) weight *= std::pow(walltime, e_.area + e_.length);
        if (e_.age != 0.0) weight *= std::pow(std::max(1.0, double(now - jobs.submit[i])), e_.age);
        double known = 1.0;
        if (e_.run != 0.0) known *= std::pow(std::max(1.0, expected_run(jobs, i)), e_.run);
        if (e_.share != 0.0) known *= std::pow(std::max(1e-6, fair_share(jobs, i)), e_.share);
        return weight * known;
    }

  private:
    Exponents e_;
};

}  // namespace planbatch
