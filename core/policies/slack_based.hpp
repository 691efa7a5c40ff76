// Slack-based backfilling: starts, in the order of the queue, every job that delays no other beyond its promised latest
// start, which is the start in its first plan plus a slack.
//
// The plan of the round before, decoded again in the order of its starts, is the first plan. A job that could start now
// is moved to the front of it; if, decoded again, no job starts later than promised, this is the new plan. New jobs are
// not delayed. After Talby and Feitelson: "Supporting Priorities and Improving Utilization of the IBM SP Scheduler Using
// Slack-Based Backfilling" (IPPS 1999); their slack also depends on priorities, and they weigh several plans by cost.
#pragma once
#include "../decoder.hpp"
#include "policy.hpp"
#include "queue.hpp"

namespace planbatch {

template <std::size_t K>
class SlackBased : public Policy {
  public:
    explicit SlackBased(std::shared_ptr<const QueueOrder> order) : order_(std::move(order)) {}

    Report decide(const Round& round, Decision decision) override {
        const std::span<std::int64_t> plan = decision.start;
        const std::size_t n = plan.size();
        decoder_.prepare(round);
        decode(round.planned, plan);
        limit_.resize(n), trial_.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            limit_[i] = round.jobs.latest[i] == never ? plan[i] : std::max(round.jobs.latest[i], plan[i]);
        rank(round);
        find_free(round, plan);
        for (const JobNumber job : ranked_) {
            const auto i = std::size_t(job);
            if (plan[i] == round.now || !planbatch::covers(free_.data(), demand(round, i))) continue;
            first_.assign(plan.begin(), plan.end());
            first_[i] = round.now;
            decode(first_, trial_);
            if (trial_[i] != round.now || any_later()) continue;
            std::copy(trial_.begin(), trial_.end(), plan.begin());
            find_free(round, plan);
        }
        return {};
    }

  private:
    std::shared_ptr<const QueueOrder> order_;
    Decoder<K> decoder_;
    StableSort sort_;
    std::vector<double> keys_;
    std::vector<JobNumber> ranked_, permutation_;
    std::vector<std::int64_t> limit_, first_, trial_;
    std::vector<std::int64_t> free_;  // now, behind the jobs that the plan starts

    static auto demand(const Round& round, std::size_t i) { return row_of<K>(round.jobs.amounts.data(), i, round.width()); }
    void rank(const Round& round) {
        order_->keys(round.jobs, round.now, keys_);
        check_keys(keys_, round.jobs.size());
        ranked_.resize(keys_.size());
        sort_(keys_.data(), ranked_);
    }
    void decode(Column starts, std::span<std::int64_t> plan) {
        permutation_.resize(starts.size());
        sort_(starts.data(), permutation_);
        decoder_.decode(permutation_, plan);
    }
    void find_free(const Round& round, Column plan) {
        free_.assign(round.free.begin(), round.free.end());
        for (std::size_t i = 0; i < plan.size(); ++i)
            if (plan[i] == round.now) take(free_.data(), demand(round, i));
    }
    bool any_later() const {
        std::int64_t later = 0;
        for (std::size_t i = 0; i < trial_.size(); ++i) later += trial_[i] > limit_[i];
        return later > 0;
    }
};

}  // namespace planbatch
