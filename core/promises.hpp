// Promised latest starts that can no longer all be kept are relaxed by the least total lateness found.
//
// Promises hold as long as running jobs end when they were expected to and the machine keeps its processors: the plan
// of the round before, decoded in the order of its starts, breaks none. Otherwise the plans in the order of those
// starts, of the promises and of the queue are tried, and the one that is least late takes the place of that plan; what
// it breaks becomes the promise of the round.
#pragma once
#include "decoder.hpp"
#include "stable_order.hpp"

namespace planbatch {

class FeasiblePromises {
  public:
    // The round; if its previous plan breaks a promise, with another plan and promises that this plan keeps, both of which
    // this object owns.
    template <std::size_t K, class Number>
    Round of(const Round& round, Decoder<K, Number>& decoder) {
        const JobTable& jobs = round.jobs;
        const std::size_t n = jobs.size();
        if (*std::min_element(jobs.latest.begin(), jobs.latest.end()) == never) return round;
        order_.resize(n), start_.resize(n), places_.resize(n);
        std::iota(places_.begin(), places_.end(), std::int64_t{0});
        std::int64_t least = std::numeric_limits<std::int64_t>::max();  // so that there is a best
        for (const Column keys : {round.planned, jobs.latest, Column(places_)}) {
            sort_(keys.data(), order_);
            decoder.decode(order_, start_);
            const std::int64_t late = lateness(start_, jobs.latest);
            if (late == 0 && keys.data() == round.planned.data()) return round;
            if (late < least) least = late, best_ = start_;
        }
        latest_.assign(jobs.latest.begin(), jobs.latest.end());
        for (std::size_t i = 0; i < n; ++i) latest_[i] = std::max(latest_[i], best_[i]);
        Round feasible = round;
        feasible.jobs.latest = latest_;
        feasible.planned = best_;
        return feasible;
    }

  private:
    StableSort sort_;
    std::vector<JobNumber> order_;
    std::vector<std::int64_t> start_, best_, latest_, places_;

    static std::int64_t lateness(Column start, Column latest) {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < start.size(); ++i) total = std::min(never, total + std::max<std::int64_t>(0, start[i] - latest[i]));
        return total;
    }
};

}  // namespace planbatch
