// Iterative beam search: plans built job by job in the order of their starts, in passes of growing width, up to a limit;
// then narrow again, since passes differ by what they draw, up to a higher one.
//
// A node is the beginning of a plan, and its profile begins at the last start. Its children start one more job; jobs that
// start together do so in one order (the largest first), so that a node may also leave free what only a larger job could
// use. Of all children with equally many jobs the best `width` survive, more of them at later levels if good beginnings
// are hard to tell. What is good, and what else a pass draws and learns, a guide says. (Beam search: Lowerre 1976; passes
// of growing width: Libralesso, Focke, Secardin, Jost, EJOR 296 (2022).)
//
// A pass may be cut into steps of one expanded node each: the result is the same.
#pragma once
#include <tuple>

#include "../random.hpp"
#include "../round_profile.hpp"
#include "../stable_order.hpp"
#include "job_types.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number, class Sums>
struct BeamNode {
    Profile<K, Number> profile;       // from the present moment on
    std::vector<std::uint16_t> left;  // jobs of each type
    std::size_t first = 0;            // the types from here on may still start at this moment
    Sums sums{};                      // of the jobs placed, as the guide wants them
};

template <class Sums>
struct BeamChild {
    double key;  // the lower, the better
    std::int32_t parent, type;
    std::int32_t at;  // the breakpoint of the parent's profile at which the job starts
    Sums sums;        // of the node that it will be
};

// Keeps the best children, so many at most.
template <class Sums>
void keep_best(std::vector<BeamChild<Sums>>& children, std::size_t count) {
    if (children.size() <= count) return;
    const auto better = [](const auto& a, const auto& b) { return std::tuple(a.key, a.parent, a.type) < std::tuple(b.key, b.parent, b.type); };
    std::nth_element(children.begin(), children.begin() + std::ptrdiff_t(count), children.end(), better);
    children.resize(count);
}

template <std::size_t K, std::signed_integral Number, template <std::size_t, std::signed_integral> class Guide>
class BeamSearch {
  public:
    static constexpr std::size_t most_entries = std::size_t{1} << 24;  // entries of the nodes of a level, at most
    static constexpr double first_limit = 300.0;                       // of the width, and
    static constexpr double rise = 1.3;                                // the factor to the next

    void begin(const Round& round, std::span<const MarginalCost> costs = {}) {
        round_ = round;
        fill(round, base_);
        types_.group(round, costs);
        guide_.begin(round, base_, types_, costs);
        width_ = 1.0, limit_ = std::min(first_limit, most_width()), passes_ = 0;
        links_.resize(round.jobs.size());
    }
    Guide<K, Number>& guide() { return guide_; }
    const Guide<K, Number>& guide() const { return guide_; }

    void begin_pass(Random& rng) {
        guide_.begin_pass(passes_, rng);
        if (beam_.empty()) beam_.resize(1);
        Node& root = beam_[0];
        root.profile.copy_from(base_, 8);
        root.left.resize(types_.size());
        for (std::size_t k = 0; k < types_.size(); ++k) root.left[k] = std::uint16_t(types_[k].jobs.size());
        root.first = 0, root.sums = {};
        level_ = next_node_ = 0, nodes_ = 1, children_.clear();
        partial_ = false;
    }
    // The same; jobs that start before a moment (s after now) in a plan start as they do there. Not all may.
    void begin_partial_pass(Column start, std::int64_t moment, Random& rng) {
        begin_pass(rng);
        partial_ = true;
        std::vector<JobNumber> order(start.size());
        StableSort()(start.data(), order);
        Node& root = beam_[0];
        for (const JobNumber job : order) {
            const std::int64_t begin = start[std::size_t(job)] - round_.now;
            if (begin >= moment) break;
            const std::size_t k = types_.of(std::size_t(job));
            root.profile.take_between(Number(begin), Number(begin) + types_[k].walltime, types_.demand(k));
            --root.left[k];
            guide_.place(k, root.sums);
            links_[level_++].assign(1, {0, std::int32_t(k)});
        }
        const std::size_t first = root.profile.split(Number(moment));
        for (std::size_t i = 0; i < first; ++i) root.sums.waste += types_.idle_at(root.profile, i);
        root.profile.begin_at(first);
    }
    // Expands a node; true if that was the last one of the pass.
    bool step(Random& rng) {
        guide_.expand(beam_[next_node_], std::int32_t(next_node_), rng, children_, partial_);
        if (children_.size() > 4 * spare_width()) keep_best(children_, spare_width());
        if (++next_node_ < nodes_) return false;
        select();
        if (nodes_ > 0 && ++level_ < round_.jobs.size()) return false;
        if (partial_) return true;
        ++passes_;
        guide_.end_pass();
        width_ = std::max(Guide<K, Number>::growth * width_, width_ + 1.0);
        if (width_ > limit_) width_ = 1.0, limit_ = std::min(rise * limit_, most_width());
        return true;
    }
    // How many plans the last pass found; none while it has not ended.
    std::size_t plans() const { return nodes_; }
    // The order of one of them.
    Order order(std::size_t plan) {
        std::vector<std::size_t> used(types_.size(), 0);
        std::vector<std::int32_t> types(round_.jobs.size());
        auto at = std::int32_t(plan);
        for (std::size_t level = types.size(); level-- > 0;) {
            const Link& link = links_[level][std::size_t(at)];
            types[level] = link.type, at = link.parent;
        }
        order_.clear();
        for (const std::int32_t type : types) order_.push_back(types_[std::size_t(type)].jobs[used[std::size_t(type)]++]);
        return order_;
    }
    std::size_t passes() const { return passes_; }  // that were not partial

  private:
    using Sums = Guide<K, Number>::Sums;
    using Node = BeamNode<K, Number, Sums>;
    using Child = BeamChild<Sums>;
    struct Link {
        std::int32_t parent, type;
    };

    Round round_{};
    Profile<K, Number> base_;
    JobTypes<K, Number> types_;
    Guide<K, Number> guide_;
    double width_ = 1.0, limit_ = 1.0;  // of the mean level
    std::size_t level_ = 0, next_node_ = 0, nodes_ = 0, passes_ = 0;
    bool partial_ = false;
    std::vector<Node> beam_, next_;
    std::vector<Child> children_;
    std::vector<std::vector<Link>> links_;  // of the nodes of each level
    std::vector<JobNumber> order_;

    // Of the mean level, if the last one has no more entries than it may.
    double most_width() const {
        return std::max(1.0, double(most_entries) / double(types_.size() + 64) / (1.0 + Guide<K, Number>::widening));
    }
    // Of this level.
    std::size_t width() const {
        const double behind = 2.0 * double(level_) / double(round_.jobs.size()) - 1.0;
        return std::max<std::size_t>(1, std::size_t(width_ * (1.0 + Guide<K, Number>::widening * behind)));
    }
    // How many of the best children are kept until those that are alike have been dropped.
    std::size_t spare_width() const { return Guide<K, Number>::spare * width(); }
    // The best children become the nodes of the next level.
    void select() {
        keep_best(children_, spare_width());
        guide_.drop_alike(children_);
        keep_best(children_, width());
        std::sort(children_.begin(), children_.end(), [](const Child& a, const Child& b) { return std::pair(a.parent, a.type) < std::pair(b.parent, b.type); });
        if (next_.size() < children_.size()) next_.resize(children_.size());
        links_[level_].clear();
        for (std::size_t c = 0; c < children_.size(); ++c) {
            const Child& child = children_[c];
            const Node& parent = beam_[std::size_t(child.parent)];
            const auto k = std::size_t(child.type);
            Node& node = next_[c];
            node.profile.copy_from(parent.profile, 2);
            if (child.at > 0) node.profile.begin_at(std::size_t(child.at));
            node.profile.place_at(0, types_.demand(k), types_[k].walltime);
            node.left = parent.left;
            --node.left[k];
            node.first = k, node.sums = child.sums;
            links_[level_].push_back({child.parent, child.type});
        }
        beam_.swap(next_);
        nodes_ = children_.size(), next_node_ = 0;
        children_.clear();
    }
};

}  // namespace planbatch
