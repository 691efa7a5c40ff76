// A knapsack with a bounded number of items of each kind, for every room at once: O(room · Σ log count).
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

// The largest value of items that fit side by side into each room 0 … room. Counts are split into powers of two.
inline std::vector<std::int64_t> most_value(Column sizes, Column value, Column count, std::size_t room) {
    std::vector<std::int64_t> best(room + 1, 0), before;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
        const auto size = std::size_t(sizes[j]);
        auto left = std::min(std::size_t(count[j]), room / size);
        for (std::size_t portion = 1; left > 0; portion *= 2) {
            Interrupt::poll();
            const std::size_t take = std::min(portion, left), width = size * take;
            const std::int64_t gain = value[j] * std::int64_t(take);
            left -= take;
            before = best;
            for (std::size_t k = width; k <= room; ++k) best[k] = std::max(before[k], before[k - width] + gain);
        }
    }
    return best;
}

}  // namespace planbatch
