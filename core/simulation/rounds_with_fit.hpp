// In which rounds of a finished replay a waiting job fitted; windows are not counted.
#pragma once
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "../demand.hpp"

namespace planbatch {

// `times` ascend; `amounts` has a row per job, `free` the capacities at first. Goes through the rounds in the order of
// time with the jobs that wait and what is free.
inline std::vector<char> rounds_with_fit(Column times, Column submit, Column start, Column end, Table<const std::int64_t> amounts,
                                         std::vector<std::int64_t> free) {
    const auto by = [](Column keys) {
        std::vector<std::size_t> order(keys.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        return order;
    };
    const std::vector<std::size_t> by_start = by(start), by_end = by(end);
    const auto fits = [&](std::size_t job) { return std::ranges::equal(amounts.row(job), free, std::less_equal<>()); };
    std::vector<char> found(times.size(), 0);
    std::vector<std::size_t> waiting;
    std::size_t submitted = 0, started = 0, ended = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
        const std::int64_t now = times[k];
        for (; started < by_start.size() && start[by_start[started]] < now; ++started)
            take(free.data(), amounts.row(by_start[started]));
        for (; ended < by_end.size() && end[by_end[ended]] <= now; ++ended)
            give(free.data(), amounts.row(by_end[ended]));
        for (; submitted < submit.size() && submit[submitted] <= now; ++submitted) waiting.push_back(submitted);
        std::erase_if(waiting, [&](std::size_t job) { return start[job] < now; });
        found[k] = std::any_of(waiting.begin(), waiting.end(), fits);
    }
    return found;
}

}  // namespace planbatch
