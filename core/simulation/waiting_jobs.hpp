// The waiting jobs: one stretch of each column, in FCFS order, whoever enters or leaves. The columns are as long as the
// queue needs, not the log: what a replay looks at stays in the processor's cache.
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
        resize(64);
    }
    std::size_t size() const { return last_ - first_; }

    // The jobs as schedulers see them, and by their requests whatever is predicted.
    JobTable table() const { return with_walltimes(view(predicted_ ? Predicted : Walltime)); }
    JobTable by_request() const { return with_walltimes(view(Walltime)); }
    Column planned() const { return view(Planned); }
    Column occupied() const { return view(Occupied); }
    std::span<std::int64_t> policy_state() { return {columns_[PolicyState].data() + first_, size()}; }
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
    void store_plan(Column plan) { std::copy(plan.begin(), plan.end(), columns_[Planned].begin() + std::ptrdiff_t(first_)); }

    void append(const Workload& from, std::size_t job) {
        if (last_ == columns_[Job].size()) make_room();
        std::int64_t& least = least_procs_[last_ / LeastProcs::stretch];
        least = last_ == first_ || last_ % LeastProcs::stretch == 0 ? from.procs[job] : std::min(least, from.procs[job]);
        const std::int64_t entries[] = {std::int64_t(job), from.submit[job], from.procs[job], from.walltime[job], from.deadline[job],
                                        never, from.user[job], never, never, from.occupied[job], from.walltime[job]};
        for (std::size_t c = 0; c < used().size(); ++c) columns_[c][last_] = entries[c];
        if (width_ > 1) std::copy_n(from.amounts_of(job).data(), width_, amounts_.begin() + std::ptrdiff_t(last_ * width_));
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
        list_moves(n, places, to_the_end);
        if (!moves_.empty()) for_each_table([this](auto& entries, std::size_t width) { make_moves(entries, width); });
        if (to_the_end) first_ += m, find_least_procs(first_, first_ + places.back() + 1 - m);
        else last_ -= m, find_least_procs(first_ + places.front(), last_);
    }

  private:
    enum : std::size_t { Job, Submit, Procs, Walltime, Deadline, Latest, User, Planned, PolicyState, Occupied, Predicted, Columns };
    struct Move {
        std::size_t from, to, rows;
    };
    std::size_t width_, past_columns_, first_ = 0, last_ = 0;
    bool predicted_;
    std::vector<std::int64_t> columns_[Columns];
    std::vector<std::int64_t> amounts_;
    std::vector<double> past_;
    std::vector<std::int64_t> least_procs_;
    std::vector<Move> moves_;

    std::span<std::vector<std::int64_t>> used() { return std::span(columns_).first(predicted_ ? Columns : Predicted); }
    // Calls f(entries, width) for all that there is a row of per job.
    template <class F>
    void for_each_table(F f) {
        for (auto& column : used()) f(column, std::size_t{1});
        if (width_ > 1) f(amounts_, width_);
        if (past_columns_) f(past_, past_columns_);
    }
    void resize(std::size_t rows) {
        for_each_table([rows](auto& entries, std::size_t width) { entries.resize(rows * width); });
        least_procs_.resize(rows / LeastProcs::stretch);
    }
    // Moves the jobs to the front where most of each column lies before them; lengthens the columns otherwise.
    void make_room() {
        if (2 * size() > last_) return resize(2 * last_);
        for_each_table([this](auto& entries, std::size_t width) {
            std::memmove(entries.data(), entries.data() + first_ * width, size() * width * sizeof entries[0]);
        });
        last_ -= first_, first_ = 0;
        find_least_procs(0, last_);
    }
    // Of the stretches in which these jobs are.
    void find_least_procs(std::size_t begin, std::size_t end) {
        constexpr std::size_t stretch = LeastProcs::stretch;
        const std::vector<std::int64_t>& procs = columns_[Procs];
        for (std::size_t b = begin / stretch; b * stretch < last_ && b * stretch <= end; ++b) {
            std::int64_t least = never;
            for (std::size_t i = std::max(first_, b * stretch); i < std::min(last_, (b + 1) * stretch); ++i) least = std::min(least, procs[i]);
            least_procs_[b] = least;
        }
    }
    Column view(std::size_t column) const { return Column(columns_[column]).subspan(first_, size()); }
    JobTable with_walltimes(Column walltime) const {
        const Column procs = view(Procs);
        const Column amounts = width_ == 1 ? procs : Column(amounts_).subspan(first_ * width_, size() * width_);
        return {view(Submit), procs, walltime, view(Deadline), view(Latest), view(User), amounts,
                {past_.data() + first_ * past_columns_, size(), past_columns_},
                {Column(least_procs_).subspan(first_ / LeastProcs::stretch), first_ % LeastProcs::stretch}};
    }

    // The moves of rows that close the gaps.
    void list_moves(std::size_t n, std::span<const std::size_t> places, bool to_the_end) {
        moves_.clear();
        const auto move = [this](std::size_t from, std::size_t last, std::size_t to) {
            if (from < last) moves_.push_back({first_ + from, first_ + to, last - from});
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
    template <class Entry>
    void make_moves(std::vector<Entry>& entries, std::size_t width) const {
        for (const Move& move : moves_)
            std::memmove(entries.data() + move.to * width, entries.data() + move.from * width, move.rows * width * sizeof(Entry));
    }
};

}  // namespace planbatch
