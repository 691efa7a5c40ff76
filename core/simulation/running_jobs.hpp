// The running jobs, twice: by expected end (what schedulers see) and by actual end, latest first (what happens).
#pragma once
#include <algorithm>
#include <vector>

#include "workload.hpp"

namespace planbatch {

class RunningJobs {
  public:
    explicit RunningJobs(std::size_t width) : width_(width) {}

    std::size_t size() const { return end_.size(); }
    RunningTable table() const { return {end_, amounts_}; }
    Column jobs() const { return job_; }  // in the order of the table
    std::int64_t next_end() const { return actual_.empty() ? never : actual_.back().end; }
    std::size_t next_job() const { return actual_.back().job; }

    void add(std::size_t job, std::int64_t expected_end, std::int64_t actual_end, Column amounts) {
        insert(job, expected_end, amounts);
        const std::size_t later = count_while(actual_.size(), [&](std::size_t i) { return actual_[i].end >= actual_end; });
        actual_.insert(actual_.begin() + std::ptrdiff_t(later), {actual_end, job});
    }
    // Removes the job that ends next.
    void remove_next(std::int64_t expected_end) {
        std::size_t at = count_while(size(), [&](std::size_t i) { return end_[i] < expected_end; });
        while (std::size_t(job_[at]) != actual_.back().job) ++at;
        erase(std::ptrdiff_t(at));
        actual_.pop_back();
    }
    // The first job, which should have ended by now, is expected to end later.
    void postpone_first(std::int64_t end) {
        const auto job = std::size_t(job_.front());
        const std::vector<std::int64_t> amounts(amounts_.begin(), amounts_.begin() + std::ptrdiff_t(width_));
        erase(0);
        insert(job, end, amounts);
    }

  private:
    struct Ending {
        std::int64_t end;
        std::size_t job;
    };
    std::size_t width_;
    std::vector<std::int64_t> end_, amounts_, job_;
    std::vector<Ending> actual_;

    void insert(std::size_t job, std::int64_t end, Column amounts) {
        const auto at = std::ptrdiff_t(count_while(size(), [&](std::size_t i) { return end_[i] <= end; }));
        end_.insert(end_.begin() + at, end);
        job_.insert(job_.begin() + at, std::int64_t(job));
        amounts_.insert(amounts_.begin() + at * std::ptrdiff_t(width_), amounts.begin(), amounts.end());
    }
    void erase(std::ptrdiff_t at) {
        end_.erase(end_.begin() + at);
        job_.erase(job_.begin() + at);
        const auto row = amounts_.begin() + at * std::ptrdiff_t(width_);
        amounts_.erase(row, row + std::ptrdiff_t(width_));
    }
};

}  // namespace planbatch
