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
    auto arguments() const { return std::tie(scale_); }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        const std::size_t n = start.size();
        const auto area = [&](std::size_t i) { return double(jobs.procs[i]) * double(jobs.walltime[i]); };
        const double mean = mean_of(sum_of(n, area), n);
        return mean_of(sum_of(n, [&](std::size_t i) {
            const double age = std::max(0.0, double(now - jobs.submit[i])) / scale_;
            return (1.0 + area(i) / mean * age * age) * wait_of(start, jobs, i);
        }), n);
    }

  private:
    double scale_;
};

// (1/n) Σ area^a · procs^s · walltime^l · age^g · E[run]^r · share^f · wait^power; each base counts as at least 1,
// the fair-share factor as at least 1e-6.
class MeanWeightedWait : public Objective {
  public:
    MeanWeightedWait(double power, double area, double size, double length, double age, double run, double share)
        : power_(power), area_(area), size_(size), length_(length), age_(age), run_(run), share_(share) {}
    auto arguments() const { return std::tie(power_, area_, size_, length_, age_, run_, share_); }
    std::shared_ptr<const History> history() const override {
        if (run_ != 0.0) return std::make_shared<ExpectedRunTimes>();
        if (share_ != 0.0) return std::make_shared<FairShare>(604800.0);  // a week, Slurm's default
        return nullptr;
    }
    double cost(Column start, const JobTable& jobs, std::int64_t now) const override {
        const auto cost = [&](std::size_t i) { return weight(jobs, i, now) * std::pow(std::max(0.0, wait_of(start, jobs, i)), power_); };
        return mean_of(sum_of(start.size(), cost), start.size());
    }
    double weight(const JobTable& jobs, std::size_t i, std::int64_t now) const {
        const double procs = std::max(1.0, double(jobs.procs[i])), walltime = std::max(1.0, double(jobs.walltime[i]));
        double weight = 1.0;
        if (area_ + size_ != 0.0) weight *= std::pow(procs, area_ + size_);
        if (area_ + length_ != 0.0) weight *= std::pow(walltime, area_ + length_);
        if (age_ != 0.0) weight *= std::pow(std::max(1.0, double(now - jobs.submit[i])), age_);
        double known = 1.0;
        if (run_ != 0.0) known *= std::pow(std::max(1.0, expected_run(jobs, i)), run_);
        if (share_ != 0.0) known *= std::pow(std::max(1e-6, fair_share(jobs, i)), share_);
        return weight * known;
    }

  private:
    double power_, area_, size_, length_, age_, run_, share_;  // exponents
};

}  // namespace planbatch
