// The waiting jobs of a round by type: jobs that may change places in any plan.
#pragma once
#include <numeric>

#include "../profile.hpp"
#include "marginal_cost.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class JobTypes {
  public:
    struct Type {
        std::vector<JobNumber> jobs;  // the first is the one to start first
        Number walltime, amount;      // the amount of the bottleneck
        double area;
    };
    static constexpr std::size_t most_jobs = 65535;  // of a type; more jobs of one kind are several types

    // In falling order of the bottleneck, the other amounts and the walltime. If marginal costs are given, those of jobs of
    // one type differ by no more than their slopes, the steepest first.
    void group(const Round& round, std::span<const MarginalCost> costs) {
        width_ = round.width(), bottleneck_ = bottleneck_of(round);
        const auto row = [&](JobNumber i) { return round.jobs.amounts.subspan(std::size_t(i) * width_, width_); };
        const auto compare = [&](JobNumber a, JobNumber b) -> std::partial_ordering {
            if (const auto d = row(b)[bottleneck_] <=> row(a)[bottleneck_]; d != 0) return d;
            if (const auto d = std::lexicographical_compare_three_way(row(b).begin(), row(b).end(), row(a).begin(), row(a).end()); d != 0) return d;
            if (const auto d = round.jobs.walltime[std::size_t(b)] <=> round.jobs.walltime[std::size_t(a)]; d != 0) return d;
            if (costs.empty()) return std::partial_ordering::equivalent;
            return costs[std::size_t(b)].square <=> costs[std::size_t(a)].square;
        };
        std::vector<JobNumber> jobs(round.jobs.size());
        std::iota(jobs.begin(), jobs.end(), 0);
        std::stable_sort(jobs.begin(), jobs.end(), [&](JobNumber a, JobNumber b) {
            const auto d = compare(a, b);
            return d != 0 || costs.empty() ? d < 0 : costs[std::size_t(a)].slope > costs[std::size_t(b)].slope;
        });
        types_.clear(), amounts_.clear(), type_of_.resize(jobs.size());
        for (const JobNumber job : jobs) {
            if (types_.empty() || compare(types_.back().jobs[0], job) != 0 || types_.back().jobs.size() == most_jobs) {
                const std::int64_t walltime = round.jobs.walltime[std::size_t(job)], amount = row(job)[bottleneck_];
                types_.push_back({{}, Number(walltime), Number(amount), double(walltime) * double(amount)});
                for (const std::int64_t a : row(job)) amounts_.push_back(Number(a));
            }
            types_.back().jobs.push_back(job);
            type_of_[std::size_t(job)] = types_.size() - 1;
        }
    }

    std::size_t size() const { return types_.size(); }
    const Type& operator[](std::size_t type) const { return types_[type]; }
    const Type& front() const { return types_.front(); }
    auto begin() const { return types_.begin(); }
    auto end() const { return types_.end(); }

    std::size_t of(std::size_t job) const { return type_of_[job]; }
    std::size_t bottleneck() const { return bottleneck_; }  // the resource of which the jobs take the largest share
    Demand<K, Number> demand(std::size_t type) const { return row_of<K>(amounts_.data(), type, width_); }
    // Of the bottleneck, from breakpoint i of a profile on.
    double free_at(const Profile<K, Number>& profile, std::size_t i) const { return double(profile.row(i)[bottleneck_]); }
    // What stays free of the bottleneck between breakpoints i and i + 1.
    double idle_at(const Profile<K, Number>& profile, std::size_t i) const { return free_at(profile, i) * double(profile.time(i + 1) - profile.time(i)); }

  private:
    std::vector<Type> types_;
    std::vector<Number> amounts_;       // of the types
    std::vector<std::size_t> type_of_;  // of each job
    std::size_t width_ = 1, bottleneck_ = 0;

    static std::size_t bottleneck_of(const Round& round) {
        std::size_t best = 0;
        double most = -1.0;
        for (std::size_t k = 0; k < round.width(); ++k) {
            double area = 0.0;
            for (std::size_t i = 0; i < round.jobs.size(); ++i) area += double(round.jobs.amounts[i * round.width() + k]) * double(round.jobs.walltime[i]);
            const double share = area / double(std::max<std::int64_t>(round.capacities[k], 1));
            if (share > most) most = share, best = k;
        }
        return best;
    }
};

}  // namespace planbatch
