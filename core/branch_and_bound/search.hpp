// Branch and bound over plans in the order of their starts.
//
// A node is a set of placed jobs; the next job starts as early as possible, but not before the last placed one. After
// that moment free amounts only rise, so every node is a round of its own, with a later now. The search cuts:
//
// - Nodes whose bound is not below the best plan. Bounds are the cost so far with every other job alone, and the
//   Lagrangian bound (see LagrangianBound). For largest terms, the work by due time.
// - Starts behind which another job could be done: if a job could end before the next start, it may as well be placed
//   first (active schedules: Giffler, Thompson 1960).
// - All but the first of equal jobs, by the time from when on they cost.
// - Nodes that an earlier one dominates; see TranspositionTable.
//
// With windows, free amounts do not only rise, and neither dominance nor any bound but that of the other jobs alone is
// used. Some optimal plan is found by placing its jobs in the order of their starts, then too.
//
// Each cut retains an optimal plan for terms that never fall when a job starts later.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "../interrupt.hpp"
#include "branch_jobs.hpp"
#include "cost_rule.hpp"
#include "lagrangian_bound.hpp"
#include "transposition_table.hpp"

namespace planbatch {

// Profile is a RisingProfile or, with windows, a PlacedProfile.
template <class Profile>
class BranchAndBound {
  public:
    // `free` has a row of amounts from each of the ascending `times` on (s after now); `goal` is the cost of a known
    // plan. Sums of terms on a rising profile need the shares of the jobs, others have none. About `remembered` nodes
    // are remembered.
    BranchAndBound(BranchJobs jobs, CostRule rule, std::shared_ptr<const Shares> shares, Column times, Table<const std::int64_t> free, double goal,
                   std::size_t remembered)
        : jobs_(std::move(jobs)), rule_(rule), best_(goal), transpositions_(remembered) {
        check(times, free, shares.get());
        const std::size_t n = jobs_.size();
        best_start_.assign(n, 0), start_.resize(n), placed_.assign(n, 0);
        nodes_.resize(n + 1);
        if (shares) lagrangian_.emplace(jobs_, std::move(shares));
        nodes_[0].profile = Profile(times, free);
    }

    // Visits up to `most` further nodes; returns how many.
    std::size_t explore(std::size_t most) {
        const std::size_t before = visited_, limit = before + most;
        if (visited_ == 0 && most > 0) {
            branch(0);
            visited_ = 1;
        }
        while (visited_ < limit && !done_) {
            Interrupt::poll();
            if (has_child_to_visit()) visit_child();
            else leave();
        }
        return visited_ - before;
    }

    bool done() const { return done_; }          // whether every node has been visited or cut
    bool begun() const { return visited_ > 0; }
    double best() const { return best_; }        // the least cost known
    Column best_start() const { return best_start_; }  // in the plan found (s after now); 0 if there is none
    // The least bound of the nodes that have been listed and not been visited, for sums of terms; or infinity.
    double open_bound() const {
        double least = infinity;
        for (std::size_t d = 0; d <= depth_; ++d)
            for (std::size_t k = nodes_[d].next; k < nodes_[d].children.size(); ++k) least = std::min(least, nodes_[d].children[k].key);
        return least;
    }

  private:
    struct Child {
        std::size_t job;
        std::int64_t start;
        double key;  // the bound if there are shares, else the start
        bool before(const Child& other) const { return key < other.key || (key == other.key && start <= other.start); }
    };
    struct Node {
        Profile profile;
        double cost = 0.0;      // of the placed jobs
        double bound = 0.0;
        std::uint64_t set = 0;  // the placed jobs, as bits
        std::vector<Child> children;
        std::size_t next = 0;   // the child to visit next

        const Child& last() const { return children[next - 1]; }  // the child visited last
    };
    BranchJobs jobs_;
    CostRule rule_;
    std::optional<LagrangianBound> lagrangian_;
    double best_;
    TranspositionTable<Profile> transpositions_;
    std::vector<std::int64_t> best_start_;
    std::vector<std::int64_t> start_;  // the earliest start of each job left at the node that branches
    std::vector<char> placed_;
    std::vector<Node> nodes_;          // by depth
    std::size_t depth_ = 0, visited_ = 0;
    bool done_ = false;

    void check(Column times, Table<const std::int64_t> free, const Shares* shares) const {
        require(!times.empty() && times.size() == free.rows && times[0] == 0 && times.back() <= never, "profile: no times from 0 to 2^60");
        require(std::adjacent_find(times.begin(), times.end(), std::greater_equal{}) == times.end(), "profile: times that do not ascend");
        require(std::all_of(free.data, free.data + free.rows * free.columns, [](std::int64_t amount) { return amount >= 0; }), "profile: less than nothing is free");
        jobs_.check(free.row(free.rows - 1), times.back());
        require(bool(shares) == (Profile::rises && !rule_.largest), "shares: needed for sums of terms without windows, and only for them");
        if (!shares) return;
        require(jobs_.entry.size() == jobs_.size(), "entry: another number of jobs");
        for (const std::int64_t entry : jobs_.entry) require(entry >= 0 && std::size_t(entry) < shares->market().entries(), "entry: no such entry");
    }

    double term(std::size_t job, std::int64_t start) const { return jobs_.term(job, rule_.power).at(double(start)); }

    bool has_child_to_visit() const {
        const Node& node = nodes_[depth_];
        if (node.next == node.children.size()) return false;
        if constexpr (!Profile::rises) return !cuts(node.bound);
        return rule_.largest || node.children[node.next].key <= best_ + rule_.slack - rule_.step;
    }
    void leave() {
        if (depth_ == 0) {
            done_ = true;
            return;
        }
        placed_[nodes_[--depth_].last().job] = 0;
    }
    void visit_child() {
        descend();
        ++visited_;
        if (depth_ == jobs_.size()) take_plan();
        else branch(depth_);
    }
    bool is_dominated(const Node& node) {
        if constexpr (Profile::rises) return jobs_.size() <= TranspositionTable<Profile>::most_jobs && transpositions_.dominate(node.set, node.cost, node.profile);
        return false;
    }

    // Places the next child of the node, and makes the child the present node.
    void descend() {
        Node& node = nodes_[depth_];
        Node& below = nodes_[++depth_];
        const auto [j, start, key] = node.children[node.next++];
        placed_[j] = 1;
        below.cost = rule_.combine(node.cost, term(j, start));
        if (lagrangian_) lagrangian_->place(depth_, j, start);
        below.set = node.set | std::uint64_t{1} << std::min(j, TranspositionTable<Profile>::most_jobs);
        below.profile.start_job(node.profile, start, jobs_.demand(j), jobs_.walltime[j]);
        below.children.clear();
        below.next = 0;
    }
    void take_plan() {
        if (!(nodes_[depth_].cost < best_)) return;
        best_ = nodes_[depth_].cost;
        for (std::size_t d = 0; d < depth_; ++d) {
            const Child& child = nodes_[d].last();
            best_start_[child.job] = child.start;
        }
    }

    // Lists the children of the node at a depth, cheapest first; none if it is cut.
    void branch(std::size_t depth) {
        Node& node = nodes_[depth];
        std::int64_t first_end;
        if (!look_ahead(depth, first_end) || cuts(node.bound) || (depth > 0 && is_dominated(node))) return;
        std::int64_t kind_taken = -1;
        for (std::size_t j = 0; j < jobs_.size(); ++j) {
            if (placed_[j]) continue;
            const bool repeated = jobs_.kind[j] == kind_taken;  // of equal jobs, the one to be taken first is in front
            kind_taken = jobs_.kind[j];
            if (repeated || start_[j] >= first_end) continue;
            double bound = node.bound;
            if (lagrangian_) bound = std::max(bound, lagrangian_->of_child(j, start_[j]));
            if (cuts(bound)) continue;
            insert(node.children, {j, start_[j], lagrangian_ ? bound : double(start_[j])});
        }
    }
    bool cuts(double bound) const { return bound - rule_.slack > best_ - rule_.step; }

    // Writes the earliest starts of the jobs left, the first end that one of them can have, and the node's bound; false if
    // one would break its promise.
    bool look_ahead(std::size_t depth, std::int64_t& first_end) {
        Node& node = nodes_[depth];
        double alone = node.cost;
        if (lagrangian_) lagrangian_->begin(depth);
        first_end = std::numeric_limits<std::int64_t>::max();
        for (std::size_t j = 0; j < jobs_.size(); ++j) {
            if (placed_[j]) continue;
            const std::int64_t start = start_[j] = node.profile.earliest(jobs_.demand(j), jobs_.walltime[j]);
            if (start > jobs_.latest[j]) return false;
            first_end = std::min(first_end, start + jobs_.walltime[j]);
            alone = rule_.combine(alone, term(j, start));
            if (lagrangian_) lagrangian_->add(j, start);
        }
        node.bound = alone;
        if (lagrangian_) node.bound = std::max(alone, lagrangian_->of_node());
        else if constexpr (Profile::rises) node.bound = std::max(alone, rule_.least_term(work_by_due(node.profile)));
        return true;
    }
    // The least possible largest (start − origin) of the jobs left, by the area of those due first.
    double work_by_due(const Profile& profile) const {
        double worst = -infinity;
        typename Profile::Worker worker(profile);
        for (const std::int64_t due : jobs_.by_due) {
            const auto j = std::size_t(due);
            if (placed_[j]) continue;
            const double end = worker.finish(double(jobs_.demand(j)[0]) * double(jobs_.walltime[j]));
            worst = std::max(worst, end - double(jobs_.walltime[j]) - jobs_.origin[j]);
        }
        return worst;
    }
    static void insert(std::vector<Child>& children, const Child& child) {
        std::size_t k = children.size();
        while (k > 0 && !children[k - 1].before(child)) --k;
        children.insert(children.begin() + std::ptrdiff_t(k), child);
    }
};

}  // namespace planbatch
