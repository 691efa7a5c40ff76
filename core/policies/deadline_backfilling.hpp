// Deadline-based backfilling: jobs with a deadline make room for those without.
//
// DBF is Algorithm 1 and Section 4 of "Don't hurry be happy: a deadline-based backfilling approach" (N'takpé and Suter,
// JSSPP 2017), DBF of 2016 the algorithm of "Prise en compte de tâches non-prioritaires dans l'ordonnancement batch"
// (ComPAS 2016), WDBF the idea of "A working time deadline-based backfilling scheduling solution" (Le Hai et al., ACOMP
// 2020): there, jobs that would end outside working time get the next working period's begin as their deadline.
#pragma once
#include "advance.hpp"
#include "deadline_layout.hpp"

namespace planbatch {

// The order in which reservations of L₀ move forward after an early end: FCFS order; together with those of L₁; the
// order in which the jobs joined the queue; or those that came from L₁ last.
enum class AdvanceOrder : std::int64_t { fcfs, together, as_joined, regular_first };

template <std::size_t K>
class DeadlineBackfilling : public Policy {
  public:
    // `working_time`: alternately the begin and the end of a period (s); none for the jobs' own deadlines.
    DeadlineBackfilling(UrgentJobs urgent_jobs, AdvanceOrder advance_order, std::vector<std::int64_t> working_time)
        : advance_order_(advance_order), working_time_(std::move(working_time)), layout_(urgent_jobs) {
        if (working_time_.size() % 2) throw std::invalid_argument("working_time: a period has no end");
        if (!std::is_sorted(working_time_.begin(), working_time_.end())) throw std::invalid_argument("working_time: not ascending");
    }

    Report decide(const Round& round, Decision decision) override {
        if (keeps_plan(round)) {
            std::copy(round.planned.begin(), round.planned.end(), decision.start.begin());
            return {};
        }
        queues_.begin(round, decision);
        if (!(queues_.fill_committed() && queues_.fill_all())) queues_.start_over();
        if (round.ended_early) advance_after_early_end();
        for (std::size_t i = 0; i < queues_.size(); ++i)
            if (decision.start[i] == never) admit(i);
        for (std::int64_t& start : decision.start) start += round.now;
        return {};
    }

  private:
    AdvanceOrder advance_order_;
    std::vector<std::int64_t> working_time_;
    DeadlineQueues<K> queues_;
    DeadlineLayout<K> layout_;
    Advance<K> advance_;
    StableSort sort_;
    std::vector<std::int64_t> before_, ranks_, due_;
    std::vector<JobNumber> definitive_, order_, sorted_;

    // Whether nothing is new, and the reservations that fall due can be kept.
    bool keeps_plan(const Round& round) {
        if (round.planned.back() == never || round.ended_early || round.windows.size()) return false;
        due_.assign(round.free.begin(), round.free.end());
        for (std::size_t i = 0; i < round.planned.size(); ++i) {
            if (round.planned[i] < round.now) return false;
            if (round.planned[i] == round.now) take(due_.data(), demand_of<K>(round, i));
        }
        return std::all_of(due_.begin(), due_.end(), [](std::int64_t left) { return left >= 0; });
    }

    // New jobs are admitted in FCFS order: one with a deadline takes the earliest slot that all reservations leave, and
    // joins L₁ if it can meet its deadline; otherwise it is a regular job (2017, Section 4; 2016, Section 4.1). A
    // regular job is given its definitive reservation by Algorithm 1.
    void admit(std::size_t i) {
        std::int64_t deadline = queues_.round().jobs.deadline[i];
        if (!working_time_.empty()) deadline = next_opening_after(queues_.earliest_end(queues_.committed(), i));
        if (deadline != never && queues_.earliest_end(queues_.all(), i) <= deadline) queues_.join_tentative(i, deadline);
        if (queues_.is_tentative(i)) queues_.start()[i] = queues_.reserve(queues_.all(), i);
        else admit_regular(i);
    }
    // When the next working period begins, for an end outside all of them; else `never`.
    std::int64_t next_opening_after(std::int64_t end) const {
        const auto at = std::upper_bound(working_time_.begin(), working_time_.end(), end);
        const bool outside = (at - working_time_.begin()) % 2 == 0;
        return outside && at != working_time_.end() ? *at : never;
    }
    // If no layout keeps the deadlines, not even the jobs of L₁ in FCFS order (earlier reservations may have been better
    // than any that this order gives), all reservations stay as they are and become definitive, and the new job takes
    // the earliest slot that they leave.
    void admit_regular(std::size_t regular) {
        if (layout_.lay_out_again(queues_, regular)) return;
        queues_.fill_all();
        queues_.start()[regular] = queues_.reserve(queues_.all(), regular);
        for (std::size_t i = 0; i < queues_.size(); ++i)
            if (queues_.is_tentative(i)) queues_.move_to_definitive(i);
        queues_.committed().copy_from(queues_.all(), 2);
    }

    // With AdvanceOrder::together, all waiting jobs move forward, in FCFS order, one at a time. Otherwise L₀ goes first,
    // with the reservations of L₁ cancelled, and L₁ is laid out again in what is left, as for a new regular job; if
    // deadlines would not hold, all move together instead. Either way, no definitive start gets later.
    void advance_after_early_end() {
        const std::span<std::int64_t> start = queues_.start();
        if (advance_order_ != AdvanceOrder::together) {
            before_.assign(start.begin(), start.end());
            advance_.in_order(queues_.round(), order_of_definitive(), start, queues_.committed());
            if (layout_.lay_out_again(queues_, none)) return;
            std::copy(before_.begin(), before_.end(), start.begin());
            queues_.fill_committed();
        }
        queues_.fill_all();
        advance_.all(queues_.round(), start, queues_.all());
        queues_.fill_committed();
    }
    // The jobs of L₀ in the order in which they move forward. A regular job joins the queue when it is submitted; jobs
    // that move there at that moment come after it.
    Order order_of_definitive() {
        definitive_.clear(), ranks_.clear();
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            if (queues_.is_tentative(i)) continue;
            definitive_.push_back(JobNumber(i));
            ranks_.push_back(rank(i));
        }
        order_.resize(ranks_.size()), sorted_.resize(ranks_.size());
        sort_(ranks_.data(), order_);
        for (std::size_t k = 0; k < order_.size(); ++k) sorted_[k] = definitive_[std::size_t(order_[k])];
        return sorted_;
    }
    std::int64_t rank(std::size_t i) const {
        const bool moved = queues_.limit(i) != never;
        if (advance_order_ == AdvanceOrder::regular_first) return moved;
        if (advance_order_ == AdvanceOrder::as_joined) return moved ? -1 - 2 * queues_.limit(i) : 2 * queues_.round().jobs.submit[i];
        return 0;
    }
};

}  // namespace planbatch
