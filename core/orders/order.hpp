// Orders of waiting jobs: sort keys, the job with the smallest first; equal keys keep FCFS order.
#pragma once
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "../user_history/history.hpp"

namespace planbatch {

// An order returned keys that do not sort the jobs.
class BadKeys : public std::domain_error {
  public:
    using std::domain_error::domain_error;
};

// Throws unless there is a key for each job, and all are numbers.
inline void check_keys(Reals keys, std::size_t jobs) {
    if (keys.size() != jobs) throw BadKeys("returned " + std::to_string(keys.size()) + " keys for " + std::to_string(jobs) + " jobs");
    for (const double key : keys)
        if (std::isnan(key)) throw BadKeys("returned a key that is not a number");
}

class QueueOrder {
  public:
    virtual ~QueueOrder() = default;
    // Writes a key per job, and for a pair of orders as many again after them, by which jobs are backfilled. Must be
    // safe to call from several threads.
    virtual void keys(const JobTable& jobs, std::int64_t now, std::vector<double>& keys) const = 0;
    // Whether it is the order of the queue itself, so that nobody need ask for keys.
    virtual bool is_fcfs() const { return false; }
    // What it needs to know of the past of users; null for nothing.
    virtual std::shared_ptr<const History> history() const { return nullptr; }
};

// An order whose key depends on the job and the time alone.
template <double (*key_of)(const JobTable&, std::size_t, std::int64_t)>
class OrderByKey : public QueueOrder {
  public:
    void keys(const JobTable& jobs, std::int64_t now, std::vector<double>& keys) const override {
        keys.resize(jobs.size());
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(jobs, i, now);
    }
};

// First come, first served: the order of the queue itself.
class SubmitOrder : public QueueOrder {
  public:
    void keys(const JobTable& jobs, std::int64_t, std::vector<double>& keys) const override {
        keys.resize(jobs.size());
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = double(i);
    }
    bool is_fcfs() const override { return true; }
};

// Jobs that have waited longer than a threshold come first, FCFS among themselves (Lelong, Reis, Trystram, JSSPP 2017).
class LongestWaitingFirst : public QueueOrder {
  public:
    LongestWaitingFirst(std::shared_ptr<const QueueOrder> order, std::int64_t seconds) : order_(std::move(order)), seconds_(seconds) {}
    auto arguments() const { return std::tie(order_, seconds_); }
    std::shared_ptr<const History> history() const override { return order_->history(); }
    void keys(const JobTable& jobs, std::int64_t now, std::vector<double>& keys) const override {
        order_->keys(jobs, now, keys);
        const std::size_t n = std::max<std::size_t>(jobs.size(), 1);
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (now - jobs.submit[i % n] > seconds_) keys[i] = -infinity;
    }

  private:
    std::shared_ptr<const QueueOrder> order_;
    std::int64_t seconds_;
};

// One order says which job is the head of the queue, the other in which order jobs are backfilled.
class PairOfOrders : public QueueOrder {
  public:
    PairOfOrders(std::shared_ptr<const QueueOrder> head, std::shared_ptr<const QueueOrder> backfilling)
        : head_(std::move(head)), backfilling_(std::move(backfilling)) {}
    auto arguments() const { return std::tie(head_, backfilling_); }
    std::shared_ptr<const History> history() const override { return head_->history() ? head_->history() : backfilling_->history(); }
    void keys(const JobTable& jobs, std::int64_t now, std::vector<double>& keys) const override {
        head_->keys(jobs, now, keys);
        std::vector<double> backfill_keys;
        backfilling_->keys(jobs, now, backfill_keys);
        keys.resize(jobs.size());
        keys.insert(keys.end(), backfill_keys.end() - std::ptrdiff_t(jobs.size()), backfill_keys.end());
    }

  private:
    std::shared_ptr<const QueueOrder> head_, backfilling_;
};

}  // namespace planbatch
