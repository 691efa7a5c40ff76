// Classes of values: up to `most` lower limits, which are quantiles of the distinct ones, and the class of every value.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "round.hpp"

namespace planbatch {

template <int most>
class ValueClasses {
  public:
    // `within`: the largest class whose limit the value reaches, -1 for none.
    // `above`: the smallest class whose limit is at least the value; `most` or their number if there is none.
    std::vector<std::int8_t> within, above;

    void classify(Column values) { classify(values, 1, 0); }
    // The values of column k of a table.
    void classify(Column table, std::size_t width, std::size_t k) {
        const std::size_t n = table.size() / width;
        const auto value = [&](std::size_t i) { return table[i * width + k]; };
        const auto end = limits_.begin() + set_limits(n, value);
        within.resize(n), above.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            within[i] = std::int8_t(std::upper_bound(limits_.begin(), end, value(i)) - limits_.begin() - 1);
            above[i] = std::int8_t(std::lower_bound(limits_.begin(), end, value(i)) - limits_.begin());
        }
    }
    std::int64_t limit(std::size_t c) const { return limits_[c]; }

  private:
    std::array<std::int64_t, most> limits_;

    // Quantiles of the distinct values of a sample.
    int set_limits(std::size_t n, const auto& value) {
        std::array<std::int64_t, 96> sample;
        const std::size_t m = std::min(n, sample.size());
        for (std::size_t i = 0; i < m; ++i) sample[i] = value(i * n / m);
        std::sort(sample.begin(), sample.begin() + std::ptrdiff_t(m));
        const auto end = std::unique(sample.begin(), sample.begin() + std::ptrdiff_t(m));
        const int distinct = int(end - sample.begin());
        if (distinct <= most) {
            std::copy(sample.begin(), end, limits_.begin());
            return distinct;
        }
        for (int i = 0; i < most; ++i) limits_[std::size_t(i)] = sample[std::size_t(i * distinct / most)];
        return most;
    }
};

}  // namespace planbatch
