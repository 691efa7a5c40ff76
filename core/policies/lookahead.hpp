// Lookahead optimising scheduling (LOS): starts jobs in order while they fit; behind the first that does not, of those
// that may be backfilled, the set that together uses most processors.
//
// The shadow time and the extra processors are EASY's; so many jobs that could be backfilled are looked at. Shmueli and
// Feitelson: "Backfilling with Lookahead to Optimize the Performance of Parallel Job Scheduling" (JSSPP 2003). It knows
// processors alone.
#pragma once
#include "fullest_set.hpp"
#include "head_of_queue.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class Lookahead : public Policy {
  public:
    Lookahead(std::shared_ptr<const QueueOrder> order, std::size_t most_jobs) : queue_(std::move(order)), most_jobs_(most_jobs) {
        if (K != 1) throw std::invalid_argument("lookahead: knows processors alone, and this machine has further resources");
        if (most_jobs < 1) throw std::invalid_argument("most_jobs: 0 is no positive number of jobs");
    }

    Report decide(const Round& round, Decision decision) override {
        if (round.windows.size()) throw std::invalid_argument("lookahead: knows processors alone, and this machine has windows");
        if (!any_fits(round)) return {};
        const std::size_t head = queue_.start(round, decision.start);
        if (head == none) return {};
        const Profile<K>& profile = queue_.whole_profile(round);
        const auto wanted = demand_of<K>(round, head);
        const std::size_t at = profile.earliest(wanted, round.jobs.walltime[head]);
        const std::int64_t shadow = profile.time(at), free = *profile.row(0), extra = *profile.row(at) - wanted[0];
        find_candidates(round, shadow, extra);
        for (const std::size_t job : set_.choose(candidates_, free, extra)) decision.start[job] = round.now;
        return {};
    }

  private:
    HeadOfQueue<K> queue_;
    std::size_t most_jobs_;
    std::vector<Candidate> candidates_;
    FullestSet set_;

    // `shadow` counts from now.
    void find_candidates(const Round& round, std::int64_t shadow, std::int64_t extra) {
        const auto late = [&](std::size_t job) { return round.jobs.walltime[job] > shadow; };
        candidates_.clear();
        for (const std::size_t job : queue_.candidates(round, [&](std::size_t i) { return !late(i) || round.jobs.procs[i] <= extra; })) {
            if (candidates_.size() == most_jobs_) break;
            candidates_.push_back({job, round.jobs.procs[job], late(job)});
        }
    }
};

}  // namespace planbatch
