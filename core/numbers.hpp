// The numbers that the core counts in: seconds, amounts and job numbers; and views of columns and tables.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

namespace planbatch {

inline constexpr std::int64_t never = std::int64_t{1} << 60;  // a start or a deadline that does not exist
inline constexpr std::size_t none = static_cast<std::size_t>(-1);
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using Column = std::span<const std::int64_t>;
using Reals = std::span<const double>;
using JobNumber = std::int32_t;  // the index of a job in a round's table of waiting jobs
using Order = std::span<const JobNumber>;

// A view of rows of equal length, one after the other.
template <class T>
struct Table {
    T* data = nullptr;
    std::size_t rows = 0, columns = 0;

    std::span<T> entries() const { return {data, rows * columns}; }
    std::span<T> row(std::size_t i) const { return {data + i * columns, columns}; }
    T& operator()(std::size_t i, std::size_t k) const { return data[i * columns + k]; }
    operator Table<const T>() const { return {data, rows, columns}; }
};

// Throws unless what has been given is as it should be.
inline void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

// How many of 0 … n − 1 satisfy `holds`, which is true up to one of them and false from there on: a binary search without
// branches that processors could mispredict.
template <class Holds>
std::size_t count_while(std::size_t n, Holds holds) {
    std::size_t count = 0;
    while (n > 0) {
        const std::size_t half = (n + 1) / 2;
        count += holds(count + half - 1) ? half : 0;
        n -= half;
    }
    return count;
}

}  // namespace planbatch
