// The jobs that start from the head of the queue, until one is blocked; and those behind it that may pass it.
#pragma once
#include "../round_profile.hpp"
#include "queue.hpp"

namespace planbatch {

template <std::size_t K>
class HeadOfQueue {
  public:
    explicit HeadOfQueue(std::shared_ptr<const QueueOrder> order) : queue_(std::move(order)) {}

    // Starts jobs while they fit; the first that does not, or `none`. Without windows nothing is taken later that is
    // free now: until the whole profile is asked for, it has the present alone.
    std::size_t start(const Round& round, std::span<std::int64_t> plan) {
        queue_.begin(round);
        started_.clear();
        whole_ = round.windows.size() > 0;
        if (whole_) fill(round, profile_, plan.size() + 3);
        else profile_.begin(0, round.free, 1);
        for (; queue_.head() != none && fits(round, queue_.head()); queue_.take_head()) {
            plan[queue_.head()] = round.now;
            started_.push_back(queue_.head());
            take_now(round, queue_.head(), round.occupied[queue_.head()]);
        }
        const std::size_t blocked = queue_.head();
        if (blocked != none) queue_.take_head();
        return blocked;
    }

    // Starts jobs as `start` does, and reserves for the first that is blocked; the jobs that might pass it.
    std::span<const std::size_t> start_and_reserve(const Round& round, std::span<std::int64_t> plan) {
        if (!any_fits(round)) return {};
        const std::size_t blocked = start(round, plan);
        if (blocked == none) return {};
        const auto waiting = candidates(round);
        if (!waiting.empty()) whole_profile(round).place_earliest(demand_of<K>(round, blocked), round.jobs.walltime[blocked]);
        return waiting;
    }

    // The profile of the running jobs and of those just started; whoever reserves in it changes what fits.
    Profile<K>& whole_profile(const Round& round) {
        if (whole_) return profile_;
        whole_ = true;
        fill(round, profile_, started_.size() + 3);
        for (const std::size_t job : started_) take_now(round, job, round.occupied[job]);
        return profile_;
    }

    // The jobs behind the blocked one whose demands are free at this moment, in the order of backfilling.
    std::span<const std::size_t> candidates(const Round& round) {
        return queue_.candidates([&](std::size_t job) { return profile_.covers(0, demand_of<K>(round, job)); });
    }
    // Those of them for which `may_start(job)` holds.
    template <class MayStart>
    std::span<const std::size_t> candidates(const Round& round, MayStart may_start) {
        return queue_.candidates([&](std::size_t job) { return profile_.covers(0, demand_of<K>(round, job)) && may_start(job); });
    }
    bool fits(const Round& round, std::size_t job) const {
        return profile_.fits_at(0, demand_of<K>(round, job), round.jobs.walltime[job]);
    }
    void backfill(const Round& round, std::size_t job, std::span<std::int64_t> plan) {
        plan[job] = round.now;
        take_now(round, job, round.jobs.walltime[job]);
    }

  private:
    Queue queue_;
    Profile<K> profile_;
    std::vector<std::size_t> started_;
    bool whole_ = false;

    void take_now(const Round& round, std::size_t job, std::int64_t seconds) {
        if (whole_) profile_.place_at(0, demand_of<K>(round, job), seconds);
        else profile_.take_rows(0, 1, demand_of<K>(round, job));
    }
};

}  // namespace planbatch
