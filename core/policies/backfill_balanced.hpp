// Backfill Balanced (BB): of the jobs that may pass the first blocked one, the pivot, those that keep the use of all
// resources even come first: repeatedly the candidate with the lowest score of equation (1) of Liu, Luan, Wang, Qian
// (NPC 2016), by whom it is quoted from Leinberger, Karypis, Kumar (1999).
#pragma once
#include "head_of_queue.hpp"
#include "policy.hpp"
#include "utilisation.hpp"

namespace planbatch {

template <std::size_t K>
class BackfillBalanced : public Policy {
  public:
    // With `one_a_round`, one job is backfilled in a round, as the paper says of it ("in one traversal of the job
    // queue, it can only select one job"), rather than as many as there are candidates.
    BackfillBalanced(std::shared_ptr<const QueueOrder> order, bool one_a_round) : queue_(std::move(order)), one_a_round_(one_a_round) {}

    Report decide(const Round& round, Decision decision) override {
        const auto waiting = queue_.start_and_reserve(round, decision.start);
        if (waiting.empty()) return {};
        used_.begin(round, decision.start);
        for (std::size_t best; (best = lowest_score(round, waiting, decision.start)) != none;) {
            queue_.backfill(round, best, decision.start);
            used_.add(demand_of<K>(round, best));
            used_.keep();
            if (one_a_round_) break;
        }
        return {};
    }

  private:
    HeadOfQueue<K> queue_;
    Utilisation used_;
    bool one_a_round_;

    // Of equal ones the first; `none` if no candidate fits.
    std::size_t lowest_score(const Round& round, std::span<const std::size_t> waiting, Column plan) {
        std::size_t best = none;
        double lowest = infinity;
        for (const std::size_t job : waiting) {
            if (plan[job] != never || !queue_.fits(round, job)) continue;
            used_.add(demand_of<K>(round, job));
            const double score = used_.score();
            if (score < lowest) best = job, lowest = score;
        }
        return best;
    }
};

}  // namespace planbatch
