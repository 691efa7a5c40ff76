// First plans: the orders from which every search starts; no search ends with a worse one.
#pragma once
#include <cmath>
#include <vector>

#include "orders/published.hpp"
#include "round.hpp"

namespace planbatch {

// With area = size · walltime, age = now − submit, and h = Σ area / capacity, the time that the queue needs at least.
enum class FirstOrder : std::int64_t {
    previous,           // the starts of the previous round, new jobs last: never worse than the previous plan
    submit,             // FCFS: decoded, this is conservative backfilling
    smallest_area,      // area
    area_per_square,    // area / (age + h)²: Smith's rule for squared waits at half-time
    size_root_length,   // size · √walltime
    area_per_response,  // area / (age + walltime)
    root_size_length,   // √size · walltime / (age + 0.3 h)
    area_per_age,       // area / (age + one minute)
    shortest,           // walltime
    smallest,           // size
    regular_first,      // deadline-based backfilling; only in rounds with deadlines
    expected_area,      // procs · E[run time]
    expected_slowdown,  // procs · E[run time] / E[1 / run time]
};

// In rounds of more jobs, only the first few first plans, and that of the deadlines, are decoded.
inline constexpr std::size_t long_queue = 500, first_plans_of_long_queues = 4;

// The sizes of the waiting jobs: processors, or as many as match their largest share of any resource.
inline void sizes_of(const Round& round, std::vector<double>& size) {
    const std::size_t n = round.jobs.size(), width = round.width();
    size.assign(round.jobs.procs.begin(), round.jobs.procs.end());
    for (std::size_t k = 1; k < width; ++k) {
        const double unit = double(round.capacities[0]) / double(round.capacities[k]);
        for (std::size_t i = 0; i < n; ++i) size[i] = std::max(size[i], double(round.jobs.amounts[i * width + k]) * unit);
    }
}

class FirstPlanKeys {
  public:
    void prepare(const Round& round) {
        sizes_of(round, size_);
        horizon_ = 0.0;
        for (std::size_t i = 0; i < size_.size(); ++i) horizon_ += size_[i] * double(round.jobs.walltime[i]);
        horizon_ /= double(round.capacities[0]);
    }
    void keys(const Round& round, FirstOrder order, std::vector<double>& keys) const {
        if (order == FirstOrder::regular_first) return RegularFirst().keys(round.jobs, round.now, keys);
        keys.resize(size_.size());
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key(round, order, i);
    }

  private:
    std::vector<double> size_;
    double horizon_ = 0.0;

    double key(const Round& round, FirstOrder order, std::size_t i) const {
        const double size = size_[i], length = double(round.jobs.walltime[i]), area = size * length;
        const double age = double(std::max<std::int64_t>(round.now - round.jobs.submit[i], 0));
        switch (order) {
            case FirstOrder::previous: return double(round.planned[i]);
            case FirstOrder::submit: return double(i);
            case FirstOrder::smallest_area: return area;
            case FirstOrder::area_per_square: return area / ((age + horizon_) * (age + horizon_));
            case FirstOrder::size_root_length: return size * std::sqrt(length);
            case FirstOrder::area_per_response: return area / (age + length);
            case FirstOrder::root_size_length: return std::sqrt(size) * length / (age + 0.3 * horizon_);
            case FirstOrder::area_per_age: return area / (age + 60.0);
            case FirstOrder::shortest: return length;
            case FirstOrder::smallest: return size;
            case FirstOrder::expected_area: return keys::expected_area(round.jobs, i, round.now);
            case FirstOrder::expected_slowdown: return keys::expected_slowdown(round.jobs, i, round.now);
            case FirstOrder::regular_first: break;
        }
        return 0.0;
    }
};

}  // namespace planbatch
