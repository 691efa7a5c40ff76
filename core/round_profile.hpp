// The profile that a round begins with: what running jobs and windows leave. Times count from the round's `now`.
#pragma once
#include "profile.hpp"
#include "round.hpp"

namespace planbatch {

// Subtracts the windows. Where running jobs hold what a window takes, nothing is free, and not less.
template <std::size_t K, class Number>
void withdraw(const Round& round, Profile<K, Number>& profile) {
    std::vector<Number> amounts(round.width());
    for (std::size_t w = 0; w < round.windows.size(); ++w) {
        if (round.windows.end[w] <= round.now) continue;
        for (std::size_t k = 0; k < amounts.size(); ++k)
            amounts[k] = Number(round.windows.amounts[w * amounts.size() + k]);
        const std::int64_t begin = std::max(round.windows.start[w], round.now) - round.now;
        profile.take_between(Number(begin), Number(round.windows.end[w] - round.now),
                             row_of<K>(amounts.data(), 0, amounts.size()));
    }
    profile.raise_to_nothing();
}

template <std::size_t K, class Number>
void fill(const Round& round, Profile<K, Number>& profile, std::size_t further_breakpoints = 0) {
    const std::size_t width = round.width(), m = round.running.size();
    std::vector<Number> amounts(round.free.begin(), round.free.end());
    profile.begin(0, amounts, m + 1 + 2 * round.windows.size() + further_breakpoints);
    for (std::size_t i = 0; i < m; ++i) {
        profile.append(Number(round.running.end[i] - round.now));
        for (std::size_t k = 0; k < width; ++k) amounts[k] = Number(round.running.amounts[i * width + k]);
        profile.give_row(profile.size() - 1, row_of<K>(amounts.data(), 0, width));
    }
    if (round.windows.size()) withdraw(round, profile);
}

// The first waiting job from `first` on whose demands are covered by what is free, or the number of jobs.
template <std::size_t K>
std::size_t first_covered(const Round& round, Column free, std::size_t first) {
    const std::size_t n = round.jobs.size();
    const LeastProcs& least = round.jobs.least_procs;
    for (std::size_t begin = first, end; begin < n; begin = end) {
        end = std::min(least.end_of_stretch(begin), n);
        if (!least.may_fit(begin, free[0])) continue;
        for (std::size_t i = begin; i < end; ++i)
            if (covers(free.data(), demand_of<K>(round, i))) return i;
    }
    return n;
}

// Whether the demands of any waiting job are free at this moment; windows are not counted.
inline bool any_fits(const Round& round) { return first_covered<std::dynamic_extent>(round, round.free, 0) < round.jobs.size(); }

}  // namespace planbatch
