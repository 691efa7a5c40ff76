// EASY simulated forward from a round, in a given future: the one simulation behind all rollouts.
//
// EASY goes through the queue in one order, that of the future; whatever has not come yet is passed over. It knows the
// walltimes; jobs end as the future says. Windows are not seen.
#pragma once
#include "../../demand.hpp"
#include "../../interrupt.hpp"
#include "future.hpp"

namespace planbatch {

template <std::size_t K>
class EasySimulation {
  public:
    // Starts the chosen waiting jobs now, and whatever EASY starts later; writes the starts of all jobs of the future.
    void run(const Round& round, const Future& future, std::span<const char> chosen, std::span<std::int64_t> start) {
        begin(round, future, start);
        for (std::size_t i = 0; i < chosen.size(); ++i)
            if (chosen[i]) start_job(i, round.now);
        queue_up();
        std::size_t coming = future.waiting();
        const Column submit = jobs_.submit;
        while (first_ != none) {
            Interrupt::poll();
            std::int64_t moment = ends_.empty() ? never : ends_.front().end;
            if (coming < submit.size()) moment = std::min(moment, submit[coming]);
            if (moment == never) break;
            while (coming < submit.size() && submit[coming] <= moment) ++coming;
            while (!ends_.empty() && ends_.front().end <= moment) finish();
            start_jobs(moment);
        }
    }

  private:
    using Amounts = Demand<K, std::int64_t>;
    struct Ending {
        std::int64_t end;
        std::size_t number;
        bool operator>(const Ending& other) const { return end > other.end; }
    };
    const Future* future_ = nullptr;
    JobTable jobs_;
    std::size_t ahead_ = 0, width_ = 1;           // running jobs, which are numbered before those of the queue; resources
    std::span<std::int64_t> start_;
    std::vector<std::int64_t> free_, extra_;      // now, and at the shadow time
    std::vector<std::int64_t> expected_;          // the end of each running job as EASY expects it (s)
    std::vector<std::size_t> by_end_;             // the running jobs, by expected end
    std::vector<Ending> ends_;                    // the running jobs, a heap by actual end
    std::vector<std::size_t> behind_;             // the next job of the queue
    std::size_t first_ = none;                    // of the queue

    Amounts need(std::size_t number) const { return row_of<K>(future_->needs().data(), number, width_); }
    Amounts need_of(std::size_t job) const { return need(ahead_ + job); }

    void begin(const Round& round, const Future& future, std::span<std::int64_t> start) {
        future_ = &future, jobs_ = future.jobs(), ahead_ = future.running(), width_ = round.width(), start_ = start;
        free_.assign(round.free.begin(), round.free.end());
        expected_.resize(future.size());
        std::copy(round.running.end.begin(), round.running.end.end(), expected_.begin());
        by_end_.resize(ahead_);
        std::iota(by_end_.begin(), by_end_.end(), std::size_t{0});
        ends_.clear();
        for (std::size_t i = 0; i < ahead_; ++i) ends_.push_back({future.run(i), i});
        std::make_heap(ends_.begin(), ends_.end(), std::greater<>());
        std::ranges::fill(start, never);
    }
    void start_job(std::size_t job, std::int64_t now) {
        const std::size_t number = ahead_ + job;
        const std::int64_t end = now + jobs_.walltime[job];
        start_[job] = now, expected_[number] = end;
        const auto at = std::partition_point(by_end_.begin(), by_end_.end(), [&](std::size_t other) { return expected_[other] <= end; });
        by_end_.insert(at, number);
        take(free_.data(), need(number));
        ends_.push_back({now + future_->run(number), number});
        std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
    }
    // Ends the job that ends first.
    void finish() {
        const std::size_t number = ends_.front().number;
        std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
        ends_.pop_back();
        auto at = std::partition_point(by_end_.begin(), by_end_.end(), [&](std::size_t other) { return expected_[other] < expected_[number]; });
        while (*at != number) ++at;
        by_end_.erase(at);
        give(free_.data(), need(number));
    }
    // Links the jobs that have not started in the order of the queue.
    void queue_up() {
        behind_.assign(jobs_.size(), none);
        first_ = none;
        for (std::size_t place = jobs_.size(); place-- > 0;) {
            const auto job = std::size_t(future_->order()[place]);
            if (start_[job] == never) behind_[job] = first_, first_ = job;
        }
    }
    // The shadow time of a blocked job; writes what is left over then.
    std::int64_t find_shadow(const Amounts& wanted) {
        extra_ = free_;
        std::int64_t shadow = never;
        for (std::size_t i = 0; i < by_end_.size(); ++i) {
            give(extra_.data(), need(by_end_[i]));
            shadow = expected_[by_end_[i]];
            const bool last = i + 1 == by_end_.size() || expected_[by_end_[i + 1]] != shadow;
            if (last && covers(extra_.data(), wanted)) break;
        }
        take(extra_.data(), wanted);
        return shadow;
    }
    // Has EASY start jobs at one moment.
    void start_jobs(std::int64_t now) {
        const Amounts least = need(future_->size());
        std::int64_t shadow = -1;  // of the blocked job, once there is one
        bool blocked = false;
        std::size_t before = none;
        for (std::size_t job = first_; job != none && covers(free_.data(), least);) {
            const std::size_t behind = behind_[job];
            if (jobs_.submit[job] <= now && may_start(job, now, blocked, shadow)) {
                start_job(job, now);
                (before == none ? first_ : behind_[before]) = behind;
            } else {
                before = job;
            }
            job = behind;
        }
    }
    bool may_start(std::size_t job, std::int64_t now, bool& blocked, std::int64_t& shadow) {
        const Amounts wanted = need_of(job);
        const bool fits = covers(free_.data(), wanted);
        if (!blocked) {
            if (!fits) blocked = true, shadow = find_shadow(wanted);
            return fits;
        }
        if (!fits || now + jobs_.walltime[job] <= shadow) return fits;
        if (!covers(extra_.data(), wanted)) return false;
        take(extra_.data(), wanted);
        return true;
    }
};

}  // namespace planbatch
