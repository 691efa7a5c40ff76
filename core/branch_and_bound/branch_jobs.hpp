// The jobs of a branch and bound, equal ones next to one another, of which the first is to start first. Times are
// seconds after now.
#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../bounds/term.hpp"
#include "../numbers.hpp"

namespace planbatch {

struct BranchJobs {
    std::size_t width;                  // resources, processors first
    std::vector<std::int64_t> amounts;  // a row per job
    std::vector<std::int64_t> walltime, latest;
    std::vector<double> weight, origin;  // of each job's term
    std::vector<std::int64_t> kind;      // equal jobs have the same
    std::vector<std::int64_t> entry;     // each job's entry of the market; empty without Lagrangian bound
    std::vector<std::int64_t> by_due;    // the jobs that can cost something, by the end that is due

    std::size_t size() const { return walltime.size(); }
    Column demand(std::size_t job) const { return Column(amounts).subspan(job * width, width); }
    Term term(std::size_t job, int power) const { return {weight[job], origin[job], power}; }

    // Throws unless columns agree in length, and each job fits into `machine` and can end before 2^60 s from now, if
    // running jobs and windows do by `released`.
    void check(Column machine, std::int64_t released) const {
        const std::size_t n = size();
        require(n > 0 && machine.size() == width && amounts.size() == n * width, "jobs: no jobs, or not one demand per job and resource");
        require(latest.size() == n && weight.size() == n && origin.size() == n && kind.size() == n, "jobs: columns that differ in length");
        for (std::size_t i = 0; i < amounts.size(); ++i) {
            const std::size_t k = i % width;
            require(amounts[i] >= (k == 0) && amounts[i] <= machine[k], "jobs: one needs more than the machine has, or no processors");
        }
        std::int64_t last = released;
        for (const std::int64_t seconds : walltime) {
            require(seconds >= 1, "jobs: a walltime below 1 s");
            if (__builtin_add_overflow(last, seconds, &last) || last > never) throw std::overflow_error("jobs: a plan could end more than 2^60 s from now");
        }
        for (const std::int64_t job : by_due) require(job >= 0 && std::size_t(job) < n, "jobs: by_due has no such job");
    }
};

}  // namespace planbatch
