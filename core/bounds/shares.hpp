// Reduced costs: by how much a start of a job exceeds the job's share of the Lagrangian bound, and what the machine could
// have earned by a moment.
//
// At fixed prices the bound is a sum over the jobs, less what the machine earns at most. A plan costs the bound, the
// excess of every start, and what the machine fails to earn, which limits the starts in plans better than a known one,
// and its idle time. Takes O(entries · buckets) of memory.
#pragma once
#include <memory>

#include "capacity_rows.hpp"
#include "price_list.hpp"

namespace planbatch {

class Shares {
  public:
    // The prices are those of `supply`: of rows of capacity, or of configurations.
    template <class Supply>
    Shares(std::shared_ptr<const Market> market, Supply& supply, Reals price) : market_(std::move(market)), list_(*market_) {
        list_.set(supply.rates(price));
        for (std::size_t j = 0; j < market_->entries(); ++j) {
            const PricedStart least = append(j);
            base_ += market_->many(j) * least.total;
            magnitude_ += market_->many(j) * list_.magnitude(j, least);
        }
        const Earnings most = supply.earnings(price);
        for (const double total : most.total) earned_.push_back(earned_.back() + total);
        rate_ = most.rate;
        base_ -= earned_.back();
        magnitude_ += earned_.back();
    }
    const Market& market() const { return *market_; }
    // The Lagrangian bound at these prices.
    double base() const { return base_; }
    // The sum that the rounding errors of the bound, and of excesses, are relative to.
    double magnitude() const { return magnitude_; }

    // What the machine earns at most by a moment, less than that where it is not known.
    double earned_until(const Moment& end) const {
        if (end.bucket == market_->buckets()) return earned_.back();
        const double rest = (market_->edges()[end.bucket + 1] - end.when) * rate_[end.bucket];
        return std::max(earned_[end.bucket], earned_[end.bucket + 1] - rest);
    }
    double paid_until(std::size_t entry, const Moment& end) const { return list_.paid_until(entry, end); }
    // The starts between which the excess of an entry is monotone (s after now).
    Reals breakpoints(std::size_t entry) const { return {when_.data() + first_[entry], first_[entry + 1] - first_[entry]}; }

    // By how much a start of an entry exceeds its share; rounding errors may make it negative.
    double excess_at(std::size_t entry, double start) const { return list_.at(entry, start) - least_[entry]; }
    // The least excess of an entry that cannot start before `start`.
    double excess_from(std::size_t entry, double start) const {
        const Reals when = breakpoints(entry);
        const auto later = std::size_t(std::upper_bound(when.begin(), when.end(), start) - when.begin());
        const double ahead = later < when.size() ? onward_[first_[entry] + later] : infinity;
        return std::max(0.0, std::min(excess_at(entry, start), ahead));
    }
    // The first breakpoint of an entry from which on every start exceeds its share by more than `gap`; or infinity.
    double limit(std::size_t entry, double gap) const {
        for (std::size_t i = first_[entry]; i < first_[entry + 1]; ++i)
            if (onward_[i] > gap) return when_[i];
        return infinity;
    }

  private:
    std::shared_ptr<const Market> market_;
    PriceList list_;
    double base_ = 0.0, magnitude_ = 0.0;
    std::vector<double> earned_{0.0}, rate_;  // at most, by each edge; and per second in each bucket
    std::vector<std::size_t> first_{0};   // breakpoint of each entry; its own end after the last
    std::vector<double> when_, onward_;   // breakpoints, and the least excess at them or later
    std::vector<double> least_;           // each entry's share of the bound

    // Appends the breakpoints of an entry; returns its cheapest start.
    PricedStart append(std::size_t j) {
        const std::size_t first = when_.size();
        list_.append_breakpoints(j, when_);
        onward_.resize(when_.size());
        PricedStart least{infinity, when_[first]};
        for (std::size_t i = when_.size(); i-- > first;) {
            const double total = list_.at(j, when_[i]);
            if (total < least.total) least = {total, when_[i]};
            onward_[i] = least.total;
        }
        for (std::size_t i = first; i < when_.size(); ++i) onward_[i] -= least.total;
        first_.push_back(when_.size());
        least_.push_back(least.total);
        return least;
    }
};

}  // namespace planbatch
