// The waiting jobs in the order of the queue: which is next at its head, and in which order the others are backfilled.
#pragma once
#include <algorithm>

#include "../orders/order.hpp"
#include "../stable_order.hpp"

namespace planbatch {

class Queue {
  public:
    explicit Queue(std::shared_ptr<const QueueOrder> order) : order_(std::move(order)) {}

    void begin(const Round& round) {
        const std::size_t n = round.jobs.size();
        taken_.assign(n, 0);
        if (order_->is_fcfs()) {
            ascending_ = backfills_in_fcfs_order_ = true;
            head_ = n ? 0 : none;
            return;
        }
        order_->keys(round.jobs, round.now, keys_);
        if (keys_.size() != 2 * n) check_keys(keys_, n);
        head_keys_ = Reals(keys_).first(n), backfill_keys_ = Reals(keys_).last(n);
        ascending_ = std::is_sorted(head_keys_.begin(), head_keys_.end());
        backfills_in_fcfs_order_ = keys_.size() == n ? ascending_ : std::is_sorted(backfill_keys_.begin(), backfill_keys_.end());
        head_ = ascending_ ? (n ? 0 : none) : smallest();
    }
    // The next job at the head of the queue, or `none`.
    std::size_t head() const { return head_; }
    void take_head() {
        taken_[head_] = 1;
        if (!ascending_) head_ = smallest();
        else if (++head_ == taken_.size()) head_ = none;
    }
    // Takes a job from anywhere in the queue; its head is not looked for again.
    void take(std::size_t job) { taken_[job] = 1; }
    bool taken(std::size_t job) const { return taken_[job]; }
    bool backfills_in_fcfs_order() const { return backfills_in_fcfs_order_; }
    bool head_in_fcfs_order() const { return ascending_; }

    // The jobs not yet taken for which `fits(job)` holds, in the order of backfilling.
    template <class Fits>
    std::span<const std::size_t> candidates(Fits fits) { return in_order(backfill_keys_, backfills_in_fcfs_order_, fits); }
    // The same in the order of the head.
    template <class Fits>
    std::span<const std::size_t> candidates_by_head(Fits fits) { return in_order(head_keys_, ascending_, fits); }

  private:
    std::shared_ptr<const QueueOrder> order_;
    std::vector<double> keys_;
    Reals head_keys_, backfill_keys_;
    std::vector<char> taken_;
    std::vector<std::size_t> candidates_;
    std::size_t head_ = none;
    bool ascending_ = false, backfills_in_fcfs_order_ = false;

    std::size_t smallest() const {
        std::size_t best = none;
        for (std::size_t i = 0; i < taken_.size(); ++i)
            if (!taken_[i] && (best == none || head_keys_[i] < head_keys_[best])) best = i;
        return best;
    }
    template <class Fits>
    std::span<const std::size_t> in_order(Reals keys, bool sorted, Fits fits) {
        candidates_.clear();
        for (std::size_t i = 0; i < taken_.size(); ++i)
            if (!taken_[i] && fits(i)) candidates_.push_back(i);
        if (!sorted) std::stable_sort(candidates_.begin(), candidates_.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        return candidates_;
    }
};

}  // namespace planbatch
