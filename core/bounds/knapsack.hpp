// Knapsacks with a bounded number of items of each kind, for every room at once: O(room · Σ log count).
#pragma once
#include <algorithm>
#include <vector>

#include "../interrupt.hpp"
#include "../numbers.hpp"

namespace planbatch {

// Throws unless sizes are positive, counts and values not negative, and no sum overflows.
inline void check_knapsack(Column sizes, Column value, Column count) {
    if (sizes.size() != value.size() || sizes.size() != count.size()) throw std::invalid_argument("knapsack: columns that differ in length");
    std::int64_t total = 0, gain = 0;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
        if (sizes[j] < 1 || value[j] < 0 || count[j] < 0) throw std::invalid_argument("knapsack: a size below 1, or a negative value or count");
        if (__builtin_mul_overflow(value[j], count[j], &gain) || __builtin_add_overflow(total, gain, &total))
            throw std::overflow_error("knapsack: values beyond 2^63");
    }
}

// Calls visit(portion) with powers of two and a rest, which make every number of items up to what there are, or fit.
template <class Visit>
void for_each_portion(std::int64_t count, std::size_t most, Visit visit) {
    auto left = std::min(std::size_t(count), most);
    for (std::size_t portion = 1; left > 0; portion *= 2) {
        const std::size_t take = std::min(portion, left);
        left -= take;
        visit(take);
    }
}

// The largest value of items that fit side by side into each room 0 … room.
inline std::vector<std::int64_t> most_value(Column sizes, Column value, Column count, std::size_t room) {
    std::vector<std::int64_t> best(room + 1, 0), before;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
        const auto size = std::size_t(sizes[j]);
        for_each_portion(count[j], room / size, [&](std::size_t take) {
            Interrupt::poll();
            const std::size_t width = size * take;
            const std::int64_t gain = value[j] * std::int64_t(take);
            before = best;
            for (std::size_t k = width; k <= room; ++k) best[k] = std::max(before[k], before[k - width] + gain);
        });
    }
    return best;
}

// The same with real values, and which items the largest value takes.
class Knapsack {
  public:
    void solve(Column sizes, Reals value, Column count, std::size_t room) {
        columns_ = room + 1;
        portions_.clear();
        for (std::size_t j = 0; j < sizes.size(); ++j)
            if (value[j] > 0.0)
                for_each_portion(count[j], room / std::size_t(sizes[j]), [&](std::size_t take) { portions_.push_back({j, take, std::size_t(sizes[j]) * take}); });
        if (best_.size() < (portions_.size() + 1) * columns_) best_.resize((portions_.size() + 1) * columns_);
        std::fill_n(best_.begin(), columns_, 0.0);
        for (std::size_t i = 0; i < portions_.size(); ++i) {
            const auto [kind, many, width] = portions_[i];
            const double* before = best_.data() + i * columns_;
            double* best = best_.data() + (i + 1) * columns_;
            const double gain = value[kind] * double(many);
            std::copy_n(before, width, best);
            for (std::size_t k = width; k < columns_; ++k) best[k] = std::max(before[k], before[k - width] + gain);
        }
    }
    // The largest value that fits into a room; calls visit(kind, many) for the items that make it.
    template <class Visit>
    double take(std::size_t room, Visit visit) const {
        const double value = best_[portions_.size() * columns_ + room];
        for (std::size_t i = portions_.size(); i-- > 0;) {
            if (best_[(i + 1) * columns_ + room] <= best_[i * columns_ + room]) continue;
            visit(portions_[i].kind, portions_[i].many);
            room -= portions_[i].width;
        }
        return value;
    }

  private:
    struct Portion {
        std::size_t kind, many, width;
    };
    std::vector<Portion> portions_;
    std::size_t columns_ = 0;
    std::vector<double> best_;  // a row of rooms before the first portion, and after each
};

}  // namespace planbatch
