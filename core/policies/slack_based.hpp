// Slack-based backfilling: starts, in the order of the queue, every job that delays no other beyond its promised latest
// start, which is the start in its first plan plus a slack.
//
// The plan of the round before, decoded again in the order of its starts, is the first plan. A job that could start now
// is moved to the front of it; if, decoded again, no job starts later than promised, this is the new plan. New jobs are
// not delayed. After Talby and Feitelson: "Supporting Priorities and Improving Utilization of the IBM SP Scheduler Using
// Slack-Based Backfilling" (IPPS 1999); their slack also depends on priorities, and they weigh several plans by cost.
#pragma once
#include "../decoder.hpp"
#include "../orders/ranking.hpp"
#include "policy.hpp"

namespace planbatch {

template <std::size_t K>
class SlackBased : public Policy {
  public:
    explicit SlackBased(std::shared_ptr<const QueueOrder> order) : order_(std::move(order)) {}

    Report decide(const Round& round, Decision decision) override {
        ranking_.rank(*order_, round.jobs, round.now);
        if constexpr (K == 1)
            if (is_narrow(round)) return start_jobs(narrow_, round, decision.start);
        return start_jobs(wide_, round, decision.start);
    }

  private:
    std::shared_ptr<const QueueOrder> order_;
    Decoder<K, std::int64_t> wide_;
    Decoder<K, std::conditional_t<K == 1, std::int32_t, std::int64_t>> narrow_;
    Ranking ranking_;
    StableSort sort_;
    std::vector<JobNumber> planned_, trial_order_;  // in the order of the plan's starts
    std::vector<std::int64_t> limit_, trial_;
    std::vector<std::int64_t> free_;  // now, behind the jobs that the plan starts

    template <class AnyDecoder>
    Report start_jobs(AnyDecoder& decoder, const Round& round, std::span<std::int64_t> plan) {
        decoder.prepare(round);
        planned_.resize(plan.size()), trial_.resize(plan.size());
        sort_(round.planned.data(), planned_);
        decoder.decode(planned_, plan);
        promise(round, plan);
        take_over(round, plan);
        for (const JobNumber job : ranking_.ranked()) {
            const auto i = std::size_t(job);
            if (plan[i] == round.now || !covers(free_.data(), demand_of<K>(round, i))) continue;
            move_to_front(round, plan, job);
            const std::int64_t promised = std::exchange(limit_[i], round.now);
            const bool kept = decoder.decode_within(trial_order_, limit_, trial_);
            limit_[i] = promised;
            if (!kept) continue;
            std::copy(trial_.begin(), trial_.end(), plan.begin());
            take_over(round, plan);
        }
        return {};
    }
    // The latest starts: what is promised, and the first plan where that is later or nothing is promised.
    void promise(const Round& round, Column plan) {
        limit_.assign(plan.begin(), plan.end());
        for (std::size_t i = 0; i < plan.size(); ++i)
            if (round.jobs.latest[i] != never) limit_[i] = std::max(round.jobs.latest[i], plan[i]);
    }
    // Takes over a new plan: its order, and what is free once its jobs have started.
    void take_over(const Round& round, Column plan) {
        sort_(plan.data(), planned_);
        free_.assign(round.free.begin(), round.free.end());
        for (std::size_t i = 0; i < plan.size(); ++i)
            if (plan[i] == round.now) take(free_.data(), demand_of<K>(round, i));
    }
    // The order of the starts if this job started now: among the jobs that do, in FCFS order.
    void move_to_front(const Round& round, Column plan, JobNumber job) {
        trial_order_ = planned_;
        const auto stays = [&](JobNumber other) { return plan[std::size_t(other)] == round.now && other < job; };
        const auto to = std::find_if_not(trial_order_.begin(), trial_order_.end(), stays);
        const auto from = std::find(to, trial_order_.end(), job);
        std::rotate(to, from, from + 1);
    }
};

}  // namespace planbatch
