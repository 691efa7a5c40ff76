// What a job takes of every resource, the processors first.
//
// Of one or two resources it is a value, so that loops which write amounts need not read it again; of more it is a
// view of a row.
#pragma once
#include <algorithm>
#include <array>
#include <type_traits>

#include "numbers.hpp"

namespace planbatch {

template <std::size_t K, class Number>
using Demand = std::conditional_t<K == std::dynamic_extent, std::span<const Number>, std::array<Number, K>>;

template <std::size_t K, class Number>
Demand<K, Number> row_of(const Number* table, std::size_t row, std::size_t width) {
    if constexpr (K == std::dynamic_extent) {
        return {table + row * width, width};
    } else {
        Demand<K, Number> demand;
        std::copy_n(table + row * K, K, demand.begin());
        return demand;
    }
}

// Amounts of all resources, and demands on them.
template <class Demand>
bool covers(const std::int64_t* free, const Demand& demand) {
    for (std::size_t k = 0; k < demand.size(); ++k)
        if (free[k] < demand[k]) return false;
    return true;
}
template <class Demand>
void take(std::int64_t* free, const Demand& demand) {
    for (std::size_t k = 0; k < demand.size(); ++k) free[k] -= demand[k];
}
template <class Demand>
void give(std::int64_t* free, const Demand& demand) {
    for (std::size_t k = 0; k < demand.size(); ++k) free[k] += demand[k];
}

}  // namespace planbatch
