// A plan that is made job by job, as learned policies make it: which of the first waiting jobs is placed next?
#pragma once
#include <array>
#include <cmath>

#include "../round_profile.hpp"

namespace planbatch {

// What is seen before a decision, flat arrays in the order of the features below.
struct Observation {
    std::vector<float> jobs, machine;
    std::vector<std::uint8_t> mask;  // which decisions are allowed: each visible job, and at last to end the round
};

class StepwisePlan {
  public:
    // Per job: 1 unless it is placed or absent; processors and the largest share of another resource, of the capacity;
    // walltime, wait so far, and time until its earliest start, each as log(1 + s) / 20.
    static constexpr std::size_t job_features = 6;
    static constexpr std::int64_t hour = 3600;
    // Of the machine: the share of processors that is free now and in 1, 4 and 24 h; log(1 + jobs) / 20 of those that
    // wait and that run.
    static constexpr std::array<std::int64_t, 4> ahead{0, hour, 4 * hour, 24 * hour};
    static constexpr std::size_t machine_features = ahead.size() + 2;

    explicit StepwisePlan(std::size_t visible) : visible_(visible) {}

    // Begins the plan of a round, whose columns must live as long as it is planned.
    void begin(const Round& round) {
        round_ = round, placed_ = 0;
        start_.assign(round.jobs.size(), never);
        slot_.resize(std::min(visible_, start_.size()));
        fill(round, profile_, 2 * slot_.size());
        find_slots();
    }

    std::size_t visible() const { return visible_; }
    bool may_place(std::size_t i) const { return i < slot_.size() && start_[i] == never; }
    // With an idle machine nothing might ever happen again.
    bool may_end() const { return placed_ > 0 || round_.running.size() > 0; }
    // Whether a visible job could start now: otherwise no decision of this round changes what is started.
    bool is_open() const {
        for (std::size_t i = 0; i < slot_.size(); ++i)
            if (may_place(i) && slot_[i] == 0) return true;
        return false;
    }
    // Places a job at its earliest feasible start: starts it or reserves for it.
    void place(std::size_t i) {
        start_[i] = round_.now + slot_[i];
        profile_.place_earliest(demand(i), round_.jobs.walltime[i]);
        ++placed_;
        find_slots();
    }
    // The plan so far; `never` for the jobs that are not placed.
    std::span<std::int64_t> start() { return start_; }

    Observation observe() const {
        Observation seen{std::vector<float>(visible_ * job_features), std::vector<float>(machine_features), std::vector<std::uint8_t>(visible_ + 1)};
        const auto share = [&](std::int64_t amount, std::size_t k) { return float(double(amount) / double(round_.capacities[k])); };
        const auto scaled = [](std::int64_t count) { return float(std::log1p(double(count)) / 20); };
        for (std::size_t i = 0; i < slot_.size(); ++i) {
            if (!may_place(i)) continue;
            float largest = 0;
            for (std::size_t k = 1; k < round_.width(); ++k) largest = std::max(largest, share(demand(i)[k], k));
            const float features[job_features] = {1, share(demand(i)[0], 0), largest, scaled(round_.jobs.walltime[i]),
                                                  scaled(round_.now - round_.jobs.submit[i]), scaled(slot_[i])};
            std::copy_n(features, job_features, seen.jobs.begin() + std::ptrdiff_t(i * job_features));
            seen.mask[i] = 1;
        }
        for (std::size_t a = 0; a < ahead.size(); ++a) seen.machine[a] = share(profile_.row(profile_.index_at(ahead[a]))[0], 0);
        seen.machine[ahead.size()] = scaled(std::int64_t(start_.size() - placed_));
        seen.machine[ahead.size() + 1] = scaled(std::int64_t(round_.running.size()));
        seen.mask[visible_] = may_end();
        return seen;
    }

  private:
    std::size_t visible_, placed_ = 0;
    Round round_{};
    Profile<std::dynamic_extent> profile_;
    std::vector<std::int64_t> start_, slot_;  // slot: seconds until the earliest start of each visible job

    Column demand(std::size_t i) const { return demand_of<std::dynamic_extent>(round_, i); }
    void find_slots() {
        for (std::size_t i = 0; i < slot_.size(); ++i)
            if (may_place(i)) slot_[i] = profile_.time(profile_.earliest(demand(i), round_.jobs.walltime[i]));
    }
};

}  // namespace planbatch
