// Of jobs that could start now, the set that uses most processors: a knapsack with two limits.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "../numbers.hpp"

namespace planbatch {

// A job that could start now; `late` if it would still run when the blocked job is to start.
struct Candidate {
    std::size_t job;
    std::int64_t size;
    bool late;
};

class FullestSet {
  public:
    static constexpr std::int64_t most_entries = 20'000'000;  // of the table of one round; fewer jobs are looked at

    // The candidates that together use most: Σ size ≤ free, and ≤ extra of those that are late; each fits by itself. Of
    // equally good sets the one with the first job, then with the second …
    const std::vector<std::size_t>& choose(std::vector<Candidate>& candidates, std::int64_t free, std::int64_t extra) {
        chosen_.clear();
        if (candidates.empty()) return chosen_;
        std::int64_t unit = 0;
        for (const Candidate& candidate : candidates) unit = std::gcd(candidate.size, unit);
        for (Candidate& candidate : candidates) candidate.size /= unit;
        free /= unit, extra /= unit;
        limit(candidates, free, extra);
        if (candidates.size() == 1) {
            chosen_.push_back(candidates.front().job);
            return chosen_;
        }
        extra = std::min(extra, free);
        fill(candidates, std::size_t(free), std::size_t(extra));
        follow(candidates, std::size_t(free), std::size_t(extra));
        return chosen_;
    }

  private:
    std::vector<std::int32_t> table_;  // [k, f, e]: the most that candidates from k on can use of f and e
    std::vector<std::size_t> chosen_;

    static void limit(std::vector<Candidate>& candidates, std::int64_t free, std::int64_t extra) {
        std::int64_t entries;
        if (__builtin_mul_overflow(free + 1, extra + 1, &entries)) entries = most_entries;
        const std::int64_t most = std::max<std::int64_t>(most_entries / entries - 1, 1);
        if (std::int64_t(candidates.size()) > most) candidates.resize(std::size_t(most));
    }
    // Dynamic programming, from the last candidate on.
    void fill(const std::vector<Candidate>& candidates, std::size_t free, std::size_t extra) {
        const std::size_t row = extra + 1, layer = (free + 1) * row;
        table_.resize((candidates.size() + 1) * layer);
        std::fill_n(table_.end() - std::ptrdiff_t(layer), layer, 0);
        for (std::size_t k = candidates.size(); k-- > 0;) {
            const std::size_t size = std::size_t(candidates[k].size), more = candidates[k].late ? size : 0;
            const std::int32_t* without = table_.data() + (k + 1) * layer;
            std::int32_t* best = table_.data() + k * layer;
            std::copy_n(without, std::min(size, free + 1) * row, best);
            for (std::size_t f = size; f <= free; ++f) {
                std::copy_n(without + f * row, std::min(more, row), best + f * row);
                const std::int32_t* with = without + (f - size) * row;
                for (std::size_t e = more; e <= extra; ++e)
                    best[f * row + e] = std::max(without[f * row + e], std::int32_t(size) + with[e - more]);
            }
        }
    }
    void follow(const std::vector<Candidate>& candidates, std::size_t free, std::size_t extra) {
        const std::size_t row = extra + 1, layer = (free + 1) * row;
        std::size_t f = free, e = extra;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            const std::size_t size = std::size_t(candidates[k].size), more = candidates[k].late ? size : 0;
            if (size > f || more > e) continue;
            const std::int32_t with = std::int32_t(size) + table_[(k + 1) * layer + (f - size) * row + e - more];
            if (with != table_[k * layer + f * row + e]) continue;
            chosen_.push_back(candidates[k].job);
            f -= size, e -= more;
        }
    }
};

}  // namespace planbatch
