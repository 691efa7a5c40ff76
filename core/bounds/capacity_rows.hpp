// Rows of capacity with a price per bucket: what jobs in progress demand of a row adds up to at most its level.
#pragma once
#include "market.hpp"

namespace planbatch {

// sum += factor · row, entry by entry: every entry is summed in the order of the calls.
inline void add_multiple(double* sum, double factor, Reals row) {
    for (std::size_t b = 0; b < row.size(); ++b) sum[b] += factor * row[b];
}

// What the machine earns at most at some prices.
struct Earnings {
    std::vector<double> total;  // in each bucket
    std::vector<double> rate;   // per second, at any moment of each bucket; infinite if unknown
};

class CapacityRows {
  public:
    // The rows of a market from `first` on.
    explicit CapacityRows(const Market& market, std::size_t first = 0) : market_(market), first_(first), rate_(market.sizes() * market.buckets()) {}

    std::size_t rows() const { return market_.rows() - first_; }

    // What a job of each size pays per second in each bucket.
    Table<const double> rates(Reals price) {
        const std::size_t buckets = market_.buckets();
        std::fill(rate_.begin(), rate_.end(), 0.0);
        for (std::size_t s = 0; s < market_.sizes(); ++s)
            for (std::size_t r = 0; r < rows(); ++r) add_multiple(rate_.data() + s * buckets, market_.coef()(s, first_ + r), price.subspan(r * buckets, buckets));
        return {rate_.data(), market_.sizes(), buckets};
    }
    // Takes what the machine earns at most off the bound.
    void charge(Reals price, Response& response) {
        const double* capacity = market_.capacity().data + first_ * market_.buckets();
        for (std::size_t c = 0; c < price.size(); ++c) {
            response.value -= price[c] * capacity[c];
            response.magnitude += price[c] * capacity[c];
        }
    }
    Earnings earnings(Reals price) const {
        const std::size_t buckets = market_.buckets();
        const double* capacity = market_.capacity().data + first_ * buckets;
        Earnings most{std::vector<double>(buckets, 0.0), std::vector<double>(buckets, rows() > 0 ? infinity : 0.0)};
        for (std::size_t c = 0; c < price.size(); ++c) most.total[c % buckets] += price[c] * capacity[c];
        return most;
    }
    // By how much the demand is above the capacity, for each row and bucket; `held`: seconds per size and bucket.
    void find_excess(Reals held, std::span<double> excess) const {
        const std::size_t buckets = market_.buckets();
        const Table<const double> capacity = market_.capacity(), coef = market_.coef();
        for (std::size_t r = 0; r < rows(); ++r) {
            double* row = excess.data() + r * buckets;
            for (std::size_t b = 0; b < buckets; ++b) row[b] = -capacity(first_ + r, b);
            for (std::size_t s = 0; s < market_.sizes(); ++s) add_multiple(row, coef(s, first_ + r), held.subspan(s * buckets, buckets));
        }
    }

  private:
    const Market& market_;
    std::size_t first_;
    std::vector<double> rate_;
};

}  // namespace planbatch
