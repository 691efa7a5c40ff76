// Reduced costs: by how much a start of a job exceeds the job's share of the Lagrangian bound.
//
// At fixed prices the bound is a sum over the jobs. A plan in which some jobs start elsewhere than at their cheapest
// costs at least the bound and all their excesses, which limits the starts in plans better than a known one. Takes
// O(entries · buckets) of memory.
#pragma once
#include <memory>

#include "capacity_rows.hpp"
#include "price_list.hpp"

namespace planbatch {

class Shares {
  public:
    // `price` has an entry per row of capacity and bucket.
    Shares(std::shared_ptr<const Market> market, Reals price) : market_(std::move(market)), list_(*market_) {
        list_.set(CapacityRows(*market_).rates(price));
        for (std::size_t j = 0; j < market_->entries(); ++j) base_ += market_->many(j) * append(j);
        const Table<const double> capacity = market_->capacity();
        for (std::size_t c = 0; c < price.size(); ++c) base_ -= price[c] * capacity.data[c];
    }
    const Market& market() const { return *market_; }
    // The Lagrangian bound at these prices.
    double base() const { return base_; }
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
    double base_ = 0.0;
    std::vector<std::size_t> first_{0};   // breakpoint of each entry; its own end after the last
    std::vector<double> when_, onward_;   // breakpoints, and the least excess at them or later
    std::vector<double> least_;           // each entry's share of the bound

    // Appends the breakpoints of an entry; returns its share.
    double append(std::size_t j) {
        const std::size_t first = when_.size();
        list_.append_breakpoints(j, when_);
        onward_.resize(when_.size());
        double least = infinity;
        for (std::size_t i = when_.size(); i-- > first;) onward_[i] = least = std::min(least, list_.at(j, when_[i]));
        for (std::size_t i = first; i < when_.size(); ++i) onward_[i] -= least;
        first_.push_back(when_.size());
        least_.push_back(least);
        return least;
    }
};

}  // namespace planbatch
