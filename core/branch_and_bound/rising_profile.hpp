// The free processors of a machine whose jobs only end: a rising staircase from the last start on, which is a round of
// its own. See also PlacedProfile.
#pragma once
#include <stdexcept>
#include <vector>

#include "../numbers.hpp"

namespace planbatch {

class RisingProfile {
    struct Step {
        std::int64_t time, free;
    };

  public:
    static constexpr bool rises = true;

    RisingProfile() = default;
    // `free` from each of the ascending `times` on (s after now); throws unless that rises.
    RisingProfile(Column times, Table<const std::int64_t> free) {
        if (free.columns != 1) throw std::invalid_argument("profile: of several resources");
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (i > 0 && free(i, 0) < free(i - 1, 0)) throw std::invalid_argument("profile: does not rise");
            steps_.push_back({times[i], free(i, 0)});
        }
    }
    std::int64_t begin() const { return steps_[0].time; }

    // The earliest start of a job, which the whole machine can run.
    std::int64_t earliest(Column demand, std::int64_t) const {
        std::size_t i = 0;
        while (steps_[i].free < demand[0]) ++i;
        return steps_[i].time;
    }

    // Becomes another profile from `start` on, less a job that starts then.
    void start_job(const RisingProfile& before, std::int64_t start, Column demand, std::int64_t walltime) {
        const auto& steps = before.steps_;
        const std::size_t size = steps.size();
        const std::int64_t end = start + walltime, procs = demand[0];
        std::size_t i = 0;
        while (i + 1 < size && steps[i + 1].time <= start) ++i;
        steps_.clear();
        steps_.push_back({start, steps[i].free - procs});
        for (++i; i < size && steps[i].time < end; ++i) steps_.push_back({steps[i].time, steps[i].free - procs});
        if (i == size || steps[i].time > end) steps_.push_back({end, steps[i - 1].free});
        steps_.insert(steps_.end(), steps.begin() + std::ptrdiff_t(i), steps.end());
    }

    // Whether at least as much is free as in another profile at every moment from that one's beginning on.
    bool covers(const RisingProfile& other) const {
        std::size_t i = 0;
        for (const Step& step : other.steps_) {
            while (i + 1 < steps_.size() && steps_[i + 1].time <= step.time) ++i;
            if (steps_[i].free < step.free) return false;
        }
        return true;
    }

    // The moments at which the machine, without a pause, has done work of given areas (processors · s), one after the
    // other.
    class Worker {
      public:
        explicit Worker(const RisingProfile& profile) : steps_(profile.steps_), moment_(double(profile.begin())) {}
        double finish(double area) {
            while (i_ + 1 < steps_.size()) {
                const double step = double(steps_[i_].free) * (double(steps_[i_ + 1].time) - moment_);
                if (step >= area) break;
                area -= step;
                ++i_;
                moment_ = double(steps_[i_].time);
            }
            return moment_ += area / double(steps_[i_].free);
        }

      private:
        const std::vector<Step>& steps_;
        std::size_t i_ = 0;
        double moment_;
    };

  private:
    std::vector<Step> steps_;
};

}  // namespace planbatch
