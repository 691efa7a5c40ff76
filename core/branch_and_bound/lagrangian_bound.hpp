// The Lagrangian bound of the nodes of a search.
//
// At fixed prices the bound is a sum over the jobs, less what the machine earns at most. A job that is placed, or that
// cannot start before some time any more, exceeds its share of the bound by a known amount (the reduced cost). What the
// machine could have earned before the next start, and the placed jobs do not pay, is lost, too.
#pragma once
#include <memory>

#include "../bounds/shares.hpp"
#include "branch_jobs.hpp"

namespace planbatch {

class LagrangianBound {
  public:
    LagrangianBound(const BranchJobs& jobs, std::shared_ptr<const Shares> shares)
        : jobs_(jobs), shares_(std::move(shares)), levels_(jobs.size() + 1), own_(jobs.size()), at_(jobs.size()), known_(places) {}

    // The node at a depth places a job, after those of the nodes above.
    void place(std::size_t depth, std::size_t job, std::int64_t start) {
        const std::size_t entry = entry_of(job);
        const Market& market = shares_->market();
        const double before = shares_->paid_until(entry, market.moment(double(start)));
        const double by_end = shares_->paid_until(entry, market.moment(double(start + jobs_.walltime[job])));
        levels_[depth] = {entry, before, by_end - before, levels_[depth - 1].excess + std::max(0.0, excess_of(entry, start).at)};
    }
    // Prepares the bounds of the children of the node at a depth.
    void begin(std::size_t depth) {
        depth_ = depth;
        excess_ = levels_[depth].excess;
        idle_until_ = -1;
    }
    // A job left cannot start before some time.
    void add(std::size_t job, std::int64_t earliest) {
        const Excess& excess = excess_of(entry_of(job), earliest);
        excess_ += own_[job] = excess.from;
        at_[job] = excess.at;
    }
    // The bound of the node, after all jobs left have been added.
    double of_node() const { return shares_->base() + excess_; }
    // That of the child that places a job next, at its earliest start.
    double of_child(std::size_t job, std::int64_t start) {
        if (start != idle_until_) lost_ = lost_until(idle_until_ = start);
        return of_node() - own_[job] + at_[job] + lost_;
    }

  private:
    static constexpr std::size_t places = std::size_t{1} << 16;
    // Of a node: the job that it places, what that would have paid by its start and pays from then on, and the excess of
    // all placed jobs.
    struct Level {
        std::size_t entry = 0;
        double before = 0.0, pays = 0.0, excess = 0.0;
    };
    // Of a start of an entry, and the least of it and all later ones.
    struct Excess {
        std::size_t entry = none;
        std::int64_t start = 0;
        double at = 0.0, from = 0.0;
    };
    const BranchJobs& jobs_;
    std::shared_ptr<const Shares> shares_;
    std::vector<Level> levels_;     // by depth
    std::vector<double> own_, at_;  // how much of the excess is that of each job left; its excess at its earliest start
    std::vector<Excess> known_;     // those asked for lately, by a hash
    std::size_t depth_ = 0;         // of the node whose children have bounds
    double excess_ = 0.0, lost_ = 0.0;
    std::int64_t idle_until_ = -1;

    std::size_t entry_of(std::size_t job) const { return std::size_t(jobs_.entry[job]); }

    const Excess& excess_of(std::size_t entry, std::int64_t start) {
        Excess& known = known_[(std::size_t(start) * 64 + entry) * 0x9E3779B97F4A7C15 >> 48];
        if (known.entry != entry || known.start != start)
            known = {entry, start, shares_->excess_at(entry, double(start)), shares_->excess_from(entry, double(start))};
        return known;
    }
    // What the machine could have earned by a start, and the placed jobs do not pay.
    double lost_until(std::int64_t start) const {
        const Moment moment = shares_->market().moment(double(start));
        double lost = shares_->earned_until(moment);
        for (std::size_t d = 1; d <= depth_; ++d) {
            const Level& level = levels_[d];
            lost -= std::max(0.0, std::min(level.pays, shares_->paid_until(level.entry, moment) - level.before));
        }
        return std::max(0.0, lost);
    }
};

}  // namespace planbatch
