// The waiting jobs: one stretch of each column, in FCFS order, whoever enters or leaves.
#pragma once
#include <cstring>
#include <vector>

#include "workload.hpp"

namespace planbatch {

class WaitingJobs {
  public:
    // `past_columns`: what a history says of each job, the row of its user first; 0 if none is kept. `predicted`: whether
    // schedulers reckon with predictions instead of walltimes.
    WaitingJobs(const Workload& workload, std::size_t past_columns, bool predicted)
        : width_(workload.width()), past_columns_(past_columns), predicted_(predicted) {
        for (auto& column : columns_) column.resize(workload.size());
        if (width_ > 1) amounts_.resize(workload.size() * width_);
        past_.resize(workload.size() * past_columns);
    }
    std::size_t size() const { return last_ - first_; }

    // The jobs as schedulers see them, and by their requests whatever is predicted.
    JobTable table() const { return with_walltimes(view(predicted_ ? Predicted : Walltime)); }
    JobTable by_request() const { return with_walltimes(view(Walltime)); }
    Column planned() const { return view(Planned); }
    Column occupied() const { return view(Occupied); }
    std::span<std::int64_t> notes() { return {columns_[Notes].data() + first_, size()}; }
    Table<double> past() { return {past_.data() + first_ * past_columns_, size(), past_columns_}; }

    Column jobs() const { return view(Job); }
    std::size_t job(std::size_t i) const { return std::size_t(columns_[Job][first_ + i]); }
    std::int64_t walltime(std::size_t i) const { return columns_[Walltime][first_ + i]; }
    std::int64_t occupied(std::size_t i) const { return columns_[Occupied][first_ + i]; }
    std::int64_t predicted(std::size_t i) const { return columns_[Predicted][first_ + i]; }
    std::int64_t& latest(std::size_t i) { return columns_[Latest][first_ + i]; }
    // `counts_running`: whether predictions count once the job runs, too.
    void predict(std::size_t i, std::int64_t seconds, bool counts_running) {
        columns_[Predicted][first_ + i] = seconds;
        if (counts_running) columns_[Occupied][first_ + i] = seconds;
    }
    void keep_plan(Column plan) { std::copy(plan.begin(), plan.end(), columns_[Planned].begin() + std::ptrdiff_t(first_)); }

    void append(const Workload& from, std::size_t job) {
        const std::int64_t entries[] = {std::int64_t(job), from.submit[job], from.procs[job], from.walltime[job], from.deadline[job],
                                        never, from.user[job], never, never, from.occupied[job], from.walltime[job]};
        for (std::size_t c = 0; c < Columns; ++c) columns_[c][last_] = entries[c];
        if (width_ > 1) std::copy_n(from.amounts_of(job), width_, amounts_.begin() + std::ptrdiff_t(last_ * width_));
        if (past_columns_) {
            const auto row = past_.begin() + std::ptrdiff_t(last_ * past_columns_);
            *row = double(from.user_row[job]);
            std::fill_n(row + 1, past_columns_ - 1, not_a_number);
        }
        ++last_;
    }
    // Removes the jobs at these places, which ascend; the fewer of those before and behind them move.
    void remove(std::span<const std::size_t> places) {
        const std::size_t n = size(), m = places.size();
        const bool to_the_end = places.back() < n - places.front();
        for (auto& column : columns_) close_gaps(column.data() + first_, 1, n, places, to_the_end);
        if (width_ > 1) close_gaps(amounts_.data() + first_ * width_, width_, n, places, to_the_end);
        if (past_columns_) close_gaps(past_.data() + first_ * past_columns_, past_columns_, n, places, to_the_end);
        if (to_the_end) first_ += m;
        else last_ -= m;
    }

  private:
    enum : std::size_t { Job, Submit, Procs, Walltime, Deadline, Latest, User, Planned, Notes, Occupied, Predicted, Columns };
    std::size_t width_, past_columns_, first_ = 0, last_ = 0;
    bool predicted_;
    std::vector<std::int64_t> columns_[Columns];
    std::vector<std::int64_t> amounts_;
    std::vector<double> past_;

    Column view(std::size_t column) const { return Column(columns_[column]).subspan(first_, size()); }
    JobTable with_walltimes(Column walltime) const {
        const Column procs = view(Procs);
        const Column amounts = width_ == 1 ? procs : Column(amounts_).subspan(first_ * width_, size() * width_);
        return {view(Submit), procs, walltime, view(Deadline), view(Latest), view(User), amounts,
                {past_.data() + first_ * past_columns_, size(), past_columns_}};
    }

    template <class Entry>
    static void close_gaps(Entry* entries, std::size_t width, std::size_t n, std::span<const std::size_t> places, bool to_the_end) {
        const auto move = [&](std::size_t from, std::size_t last, std::size_t to) {
            std::memmove(entries + to * width, entries + from * width, (last - from) * width * sizeof *entries);
        };
        const std::size_t m = places.size();
        for (std::size_t k = 0; k < m; ++k) {
            if (to_the_end) {
                const std::size_t p = m - 1 - k, from = p ? places[p - 1] + 1 : 0;
                move(from, places[p], from + k + 1);
            } else {
                move(places[k] + 1, k + 1 < m ? places[k + 1] : n, places[k] - k);
            }
        }
    }
};

}  // namespace planbatch
