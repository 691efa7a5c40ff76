// Candidates of a round: the distinct sets of jobs that could start now. The first is the one of the base policy.
#pragma once
#include <algorithm>
#include <vector>

#include "../../round.hpp"

namespace planbatch {

class Candidates {
  public:
    void begin(const Round& round) {
        now_ = round.now, jobs_ = round.jobs.size(), idle_ = round.running.size() == 0;
        sets_.clear();
    }
    std::size_t size() const { return jobs_ ? sets_.size() / jobs_ : 0; }
    // Which jobs a candidate starts: a number per waiting job, 1 or 0.
    std::span<const char> set(std::size_t candidate) const { return {sets_.data() + candidate * jobs_, jobs_}; }
    bool starts_all(std::size_t candidate) const { return std::ranges::count(set(candidate), 1) == std::ptrdiff_t(jobs_); }

    // Takes the jobs that a plan starts now as a candidate, unless they are one already or, on an idle machine, none.
    void propose(Column start) {
        const std::size_t count = size();
        for (const std::int64_t when : start) sets_.push_back(when == now_);
        const std::span<const char> proposed = set(count);
        bool known = count > 0 && idle_ && std::ranges::count(proposed, 1) == 0;
        for (std::size_t c = 0; c < count && !known; ++c) known = std::ranges::equal(set(c), proposed);
        if (known) sets_.resize(count * jobs_);
    }

  private:
    std::int64_t now_ = 0;
    std::size_t jobs_ = 0;
    bool idle_ = false;
    std::vector<char> sets_;
};

}  // namespace planbatch
