// Waiting jobs in columns of their own: some jobs of a table, and others behind them.
#pragma once
#include <vector>

#include "round.hpp"

namespace planbatch {

class OwnedJobs {
  public:
    // Copies the rows `which` of a table; `width` is the number of resources.
    template <class Rows>
    void choose(const JobTable& jobs, const Rows& which, std::size_t width) {
        past_columns_ = jobs.past.columns;
        const Column given[] = {jobs.submit, jobs.procs, jobs.walltime, jobs.deadline, jobs.latest, jobs.user};
        for (std::size_t c = 0; c < columns; ++c) copy_rows(given[c].data(), 1, which, columns_[c]);
        copy_rows(jobs.amounts.data(), width, which, amounts_);
        copy_rows(jobs.past.data, past_columns_, which, past_);
    }
    // Appends a job without a deadline and a promise; its amounts are those of all resources,
    // and what is not known of its past is NaN.
    void append(std::int64_t submit, std::int64_t walltime, std::int64_t user, std::span<const std::int64_t> amounts, Reals past) {
        const std::int64_t entries[columns] = {submit, amounts[0], walltime, never, never, user};
        for (std::size_t c = 0; c < columns; ++c) columns_[c].push_back(entries[c]);
        amounts_.insert(amounts_.end(), amounts.begin(), amounts.end());
        past_.insert(past_.end(), past.begin(), past.begin() + std::ptrdiff_t(std::min(past.size(), past_columns_)));
        past_.resize(size() * past_columns_, not_a_number);
    }
    std::size_t size() const { return columns_[0].size(); }
    JobTable table() const {
        return {columns_[0], columns_[1], columns_[2], columns_[3], columns_[4], columns_[5], amounts_, {past_.data(), size(), past_columns_}};
    }

  private:
    static constexpr std::size_t columns = 6;
    std::size_t past_columns_ = 0;
    std::vector<std::int64_t> columns_[columns], amounts_;
    std::vector<double> past_;

    template <class Entry, class Rows>
    static void copy_rows(const Entry* table, std::size_t width, const Rows& which, std::vector<Entry>& own) {
        own.resize(which.size() * width);
        for (std::size_t i = 0; i < which.size(); ++i) std::copy_n(table + std::size_t(which[i]) * width, width, own.data() + i * width);
    }
};

}  // namespace planbatch
