// EASY backfilling: jobs may overtake as long as the first that is blocked starts no later (Lifka, JSSPP 1995).
#pragma once
#include "../round_profile.hpp"
#include "policy.hpp"
#include "queue.hpp"

namespace planbatch {

template <std::size_t K>
class Easy : public Policy {
  public:
    explicit Easy(std::shared_ptr<const QueueOrder> order) : queue_(std::move(order)) {}

    Report decide(const Round& round, Decision decision) override {
        starting_.clear();
        const std::size_t fitting = first_covered<K>(round, round.free, 0);
        if (fitting == round.jobs.size()) return {};
        queue_.begin(round);
        if (round.windows.size()) decide_on_profile(round, decision.start);
        else decide_by_shadow(round, fitting, decision.start);
        if (!std::is_sorted(starting_.begin(), starting_.end())) std::sort(starting_.begin(), starting_.end());
        return {};
    }
    const std::vector<std::size_t>* starting() const override { return &starting_; }

  private:
    using Amounts = Demand<K, std::int64_t>;
    struct Release {
        std::int64_t end;
        std::size_t job;  // a waiting job that starts now
    };
    Queue queue_;
    std::vector<std::size_t> starting_;
    std::vector<std::int64_t> free_, extra_;  // now, and from the shadow time on
    std::vector<Release> started_;
    Profile<K> profile_;

    // Without windows nothing is taken later that is free now. So a job fits beside the reservation of the blocked
    // one if it fits now and ends by the shadow time, or takes no more than what is extra from then on. `fitting` is the
    // first job that fits now.
    void decide_by_shadow(const Round& round, std::size_t fitting, std::span<std::int64_t> plan) {
        const std::size_t n = plan.size();
        free_.assign(round.free.begin(), round.free.end());
        started_.clear();
        while (queue_.head() != none && covers(free_.data(), demand_of<K>(round, queue_.head()))) {
            const std::size_t job = queue_.head();
            start(round, job, plan);
            take(free_.data(), demand_of<K>(round, job));
            started_.push_back({round.now + round.occupied[job], job});
            queue_.take_head();
        }
        const std::size_t blocked = queue_.head();
        if (blocked == none) return;
        queue_.take_head();
        if (queue_.head_in_fcfs_order()) fitting = std::max(fitting, blocked + 1);
        const std::size_t first = first_covered<K>(round, free_, fitting);
        if (first == n) return;
        extra_ = free_;
        const std::int64_t shadow = find_shadow(round, demand_of<K>(round, blocked));
        take(extra_.data(), demand_of<K>(round, blocked));
        const std::int64_t until = shadow - round.now;
        if (!queue_.backfills_in_fcfs_order()) {
            for (const std::size_t i : queue_.candidates([&](std::size_t i) { return covers(free_.data(), demand_of<K>(round, i)); }))
                if (backfills(round, i, until)) start(round, i, plan);
            return;
        }
        for (std::size_t begin = first, end; begin < n; begin = end) {
            end = std::min(round.jobs.least_procs.end_of_stretch(begin), n);
            if (!may_fit(round, begin, end, until)) continue;
            for (std::size_t i = begin; i < end; ++i)
                if (!queue_.taken(i) && backfills(round, i, until)) start(round, i, plan);
        }
    }
    void start(const Round& round, std::size_t job, std::span<std::int64_t> plan) {
        plan[job] = round.now;
        starting_.push_back(job);
    }
    // Starts a job if it delays the blocked one in nothing.
    bool backfills(const Round& round, std::size_t i, std::int64_t until) {
        const Amounts wanted = demand_of<K>(round, i);
        if (!covers(free_.data(), wanted)) return false;
        if (round.jobs.walltime[i] > until) {
            if (!covers(extra_.data(), wanted)) return false;
            take(extra_.data(), wanted);
        }
        take(free_.data(), wanted);
        return true;
    }
    // Whether any of these jobs of one stretch fits now, and ends within `until` seconds or takes no more than what is extra. There is
    // no way out between them, so that several are compared at once.
    bool may_fit(const Round& round, std::size_t first, std::size_t last, std::int64_t until) const {
        if (!round.jobs.least_procs.may_fit(first, free_[0])) return false;
        const std::size_t width = K == std::dynamic_extent ? round.width() : K;
        const std::int64_t *amounts = round.jobs.amounts.data(), *walltime = round.jobs.walltime.data();
        const std::int64_t *free = free_.data(), *extra = extra_.data();
        std::int64_t fitting = 0;
        for (std::size_t i = first; i < last; ++i) {
            std::int64_t now = 1, later = 1;
            for (std::size_t k = 0; k < width; ++k) {
                now &= amounts[i * width + k] <= free[k];
                later &= amounts[i * width + k] <= extra[k];
            }
            fitting += now & (later | (walltime[i] <= until));
        }
        return fitting > 0;
    }
    // The earliest end at which there is enough for the blocked job; what is free then becomes what is extra.
    std::int64_t find_shadow(const Round& round, const Amounts& wanted) {
        std::sort(started_.begin(), started_.end(), [](const Release& a, const Release& b) { return a.end < b.end; });
        const Column ends = round.running.end;
        std::size_t mine = 0, running = 0;
        std::int64_t shadow = round.now;
        const auto next_end = [&] {
            return std::min(mine < started_.size() ? started_[mine].end : never, running < ends.size() ? ends[running] : never);
        };
        while (!covers(extra_.data(), wanted)) {
            shadow = next_end();
            for (; mine < started_.size() && started_[mine].end == shadow; ++mine)
                give(extra_.data(), demand_of<K>(round, started_[mine].job));
            for (; running < ends.size() && ends[running] == shadow; ++running)
                give(extra_.data(), row_of<K>(round.running.amounts.data(), running, round.width()));
        }
        return shadow;
    }

    void decide_on_profile(const Round& round, std::span<std::int64_t> plan) {
        const auto fits = [&](std::size_t job) { return profile_.fits_at(0, demand_of<K>(round, job), round.jobs.walltime[job]); };
        const auto start = [&](std::size_t job, std::int64_t seconds) {
            this->start(round, job, plan);
            profile_.place_at(0, demand_of<K>(round, job), seconds);
        };
        fill(round, profile_, plan.size() + 3);
        for (; queue_.head() != none && fits(queue_.head()); queue_.take_head()) start(queue_.head(), round.occupied[queue_.head()]);
        const std::size_t blocked = queue_.head();
        if (blocked == none) return;
        queue_.take_head();
        profile_.place_earliest(demand_of<K>(round, blocked), round.jobs.walltime[blocked]);
        for (const std::size_t i : queue_.candidates(fits))
            if (fits(i)) start(i, round.jobs.walltime[i]);
    }
};

}  // namespace planbatch
