// Iterative beam search for the makespan: plans built time by time, in passes of growing width.
//
// A node is the beginning of a plan up to a moment. Its children start one more job at that moment; where none may
// start any more, time moves on to the next breakpoint, and what is free until then is wasted. Jobs that start together
// do so in one order (the largest first), so that a node may also leave free what only a larger job could use. Of all
// children with equally many jobs the best `width` survive: those of little waste and much area placed, since small
// jobs fill later gaps. So that passes differ, each draws how much it prefers wide jobs, and jobs that end when others
// do, and how much waste counts, and blurs keys at random. Jobs that dead ends leave over count more in later passes.
//
// A pass looks for a plan that ends earlier than the best: whatever wastes more than that leaves is cut off, and so is a
// node whose jobs left cannot all end in time: those that take more than half the machine run one after another, and
// those that are long all run in the middle of the time left, however late they start. (Beam search: Lowerre 1976;
// passes of growing width: Libralesso, Focke, Secardin, Jost, EJOR 296 (2022); waste and mean area as guides: Fontan and
// Libralesso 2020; what was left over counts more, squeaky wheel optimization: Joslin, Clements, JAIR 10 (1999);
// compulsory parts: Lahrichi 1982.)
//
// A pass may be cut into steps of one expanded node each: the result is the same.
#pragma once
#include <cmath>
#include <numeric>

#include "../random.hpp"
#include "../round_profile.hpp"
#include "../stable_order.hpp"
#include "filling.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class BeamSearch {
  public:
    static constexpr double growth = 1.5;         // of the width, from pass to pass
    static constexpr double blur = 0.1;           // the most by which a key grows at random
    static constexpr double least_waste = 5e-4;   // counts as wasted from the start, as a share of the area;
    static constexpr double spread = 2.0;         // a pass takes e^-spread to e^spread times as much
    static constexpr double widest = 1.0;         // the most by which the widest job counts beyond its area
    static constexpr double together = 4.0;       // the most by which a job that ends when others do counts beyond that
    static constexpr double lesson = 0.15;        // the most by which a pass changes the importance of a job
    static constexpr double memory = 0.9;         // the share of its importance that a job keeps from pass to pass
    static constexpr std::size_t most_entries = std::size_t{1} << 24;  // entries of the nodes of a level, at most

    void begin(const Round& round) {
        round_ = round;
        fill(round, base_);
        bottleneck_ = bottleneck_of(round);
        windows_ = round.windows.size() > 0;
        group_jobs();
        area_ = 0.0;
        for (const Type& type : types_) area_ += double(type.jobs.size()) * type.area;
        width_ = 1.0, passes_ = 0;
    }
    // The first moment (s after now) at which the machine can have done all the work.
    std::int64_t bound() const {
        double left = area_;
        for (std::size_t i = 0; i + 1 < base_.size(); ++i) {
            const double step = free_at(base_, i) * double(base_.time(i + 1) - base_.time(i));
            if (step >= left) return base_.time(i) + whole(left / free_at(base_, i));
            left -= step;
        }
        return base_.time(base_.size() - 1) + whole(left / free_at(base_, base_.size() - 1));
    }

    // Begins a pass, which looks for a plan that ends by the target at the latest (s after now).
    void begin_pass(std::int64_t target, Random& rng) {
        draw_guide(rng);
        target_ = target;
        slack_ = -area_;  // what is free until the target, less what the jobs take
        for (std::size_t i = 0; i < base_.size() && base_.time(i) < target_; ++i) {
            const std::int64_t until = i + 1 < base_.size() ? std::min<std::int64_t>(base_.time(i + 1), target_) : target_;
            slack_ += free_at(base_, i) * double(until - base_.time(i));
        }
        links_.resize(round_.jobs.size());
        if (beam_.empty()) beam_.resize(1);
        Node& root = beam_[0];
        root.profile.copy_from(base_, 8);
        root.left.resize(types_.size());
        for (std::size_t k = 0; k < types_.size(); ++k) root.left[k] = std::uint16_t(types_[k].jobs.size());
        root.first = 0, root.waste = root.placed = 0.0;
        level_ = next_node_ = 0, nodes_ = 1, children_.clear();
        for (Type& type : types_) type.left_over = 0.0;
        dead_ends_ = 0.0;
        partial_ = false;
    }
    // The same; jobs that start before a moment (s after now) in a plan start as they do there. Not all may.
    void begin_partial_pass(std::int64_t target, Column start, std::int64_t moment, Random& rng) {
        begin_pass(target, rng);
        partial_ = true;
        std::vector<JobNumber> order(start.size());
        StableSort()(start.data(), order);
        Node& root = beam_[0];
        for (const JobNumber job : order) {
            const auto j = std::size_t(job);
            const std::int64_t begin = start[j] - round_.now;
            if (begin >= moment) break;
            const std::size_t k = type_of_[j];
            root.profile.take_between(Number(begin), Number(begin) + types_[k].walltime, demand_of(k));
            --root.left[k];
            root.placed += types_[k].worth;
            links_[level_++].assign(1, {0, std::int32_t(k)});
        }
        const std::size_t first = root.profile.split(Number(moment));
        for (std::size_t i = 0; i < first; ++i) root.waste += free_at(root.profile, i) * double(root.profile.time(i + 1) - root.profile.time(i));
        root.profile.begin_at(first);
    }
    // Expands a node; true if that was the last one of the pass.
    bool step(Random& rng) {
        expand(next_node_++, rng);
        if (next_node_ < nodes_) return false;
        select();
        if (nodes_ > 0 && ++level_ < round_.jobs.size()) return false;
        if (partial_) return true;
        ++passes_;
        learn();
        const double most = std::max(1.0, double(most_entries) / double(types_.size() + 64));
        width_ = std::min(most, std::max(growth * width_, width_ + 1.0));
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
    struct Type {  // jobs of equal amounts and walltime
        std::vector<JobNumber> jobs;
        Number walltime, amount;  // the amount of the bottleneck
        double area;
        double importance = 0.0;  // logarithm of how much more it counts, learnt from the passes before
        double worth = 0.0;       // what one of them adds to what a node has placed, in this pass
        double left_over = 0.0;   // how many of them the dead ends of this pass left, in all
    };
    struct Node {
        Profile<K, Number> profile;       // from the present moment on
        std::vector<std::uint16_t> left;  // jobs of each type
        std::size_t first = 0;            // the types from here on may still start at this moment
        double waste = 0.0, placed = 0.0;
    };
    struct Child {
        double key, placed;
        std::int32_t parent, type;
        auto operator<=>(const Child&) const = default;
    };
    struct Link {
        std::int32_t parent, type;
    };

    Round round_{};
    std::size_t bottleneck_ = 0;
    bool windows_ = false;
    Profile<K, Number> base_;
    std::vector<Number> amounts_;  // of the types
    std::vector<Type> types_;
    std::vector<std::size_t> by_walltime_;  // types, the longest first
    std::size_t wide_types_ = 0;            // the first ones: their jobs take more than half the machine
    std::vector<std::size_t> type_of_;      // of each job
    double area_ = 0.0, width_ = 1.0, slack_ = 0.0, first_waste_ = 0.0, together_ = 0.0, dead_ends_ = 0.0;
    std::int64_t target_ = 0;
    std::size_t level_ = 0, next_node_ = 0, nodes_ = 0, passes_ = 0;
    bool partial_ = false;
    std::vector<Node> beam_, next_;
    std::vector<Child> children_;
    std::vector<std::vector<Link>> links_;  // of the nodes of each level
    std::vector<JobNumber> order_;
    Filling filling_;

    static std::int64_t whole(double seconds) { return std::int64_t(std::ceil(seconds * (1.0 - 1e-12) - 1e-9)); }
    double free_at(const Profile<K, Number>& profile, std::size_t i) const { return double(profile.row(i)[bottleneck_]); }
    Demand<K, Number> demand_of(std::size_t type) const { return row_of<K>(amounts_.data(), type, round_.width()); }

    // The resource of which the jobs take the largest share.
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
    // Types in falling order of the bottleneck, the other amounts and the walltime.
    void group_jobs() {
        const std::size_t n = round_.jobs.size(), width = round_.width();
        const auto row = [&](JobNumber i) { return round_.jobs.amounts.subspan(std::size_t(i) * width, width); };
        const auto compare = [&](JobNumber a, JobNumber b) {
            if (const auto d = row(b)[bottleneck_] <=> row(a)[bottleneck_]; d != 0) return d;
            if (const auto d = std::lexicographical_compare_three_way(row(b).begin(), row(b).end(), row(a).begin(), row(a).end()); d != 0) return d;
            return round_.jobs.walltime[std::size_t(b)] <=> round_.jobs.walltime[std::size_t(a)];
        };
        std::vector<JobNumber> jobs(n);
        std::iota(jobs.begin(), jobs.end(), 0);
        std::stable_sort(jobs.begin(), jobs.end(), [&](JobNumber a, JobNumber b) { return compare(a, b) < 0; });
        types_.clear(), amounts_.clear(), type_of_.resize(n);
        for (const JobNumber job : jobs) {
            if (types_.empty() || compare(types_.back().jobs[0], job) != 0 || types_.back().jobs.size() == 65535) {
                const std::int64_t walltime = round_.jobs.walltime[std::size_t(job)], amount = row(job)[bottleneck_];
                types_.push_back({{}, Number(walltime), Number(amount), double(walltime) * double(amount)});
                for (const std::int64_t a : row(job)) amounts_.push_back(Number(a));
            }
            types_.back().jobs.push_back(job);
            type_of_[std::size_t(job)] = types_.size() - 1;
        }
        for (wide_types_ = 0; wide_types_ < types_.size() && types_[wide_types_].amount > round_.capacities[bottleneck_] / 2;) ++wide_types_;
        by_walltime_.resize(types_.size());
        std::iota(by_walltime_.begin(), by_walltime_.end(), 0);
        std::stable_sort(by_walltime_.begin(), by_walltime_.end(), [&](auto a, auto b) { return types_[a].walltime > types_[b].walltime; });
    }

    void draw_guide(Random& rng) {
        const double wide = widest * rng.draw() / double(std::max(types_.front().amount, Number(1)));
        for (Type& type : types_) type.worth = std::exp(type.importance) * type.area * (1.0 + wide * double(type.amount));
        first_waste_ = least_waste * area_ * std::exp(spread * (2.0 * rng.draw() - 1.0));
        together_ = together * rng.draw();
    }
    void note_dead_end(const Node& node) {
        if (partial_) return;
        ++dead_ends_;
        for (std::size_t k = 0; k < types_.size(); ++k) types_[k].left_over += double(node.left[k]);
    }
    // Jobs that dead ends left over more often than the mean job get more important.
    void learn() {
        double mean = 0.0;
        for (const Type& type : types_) mean += type.left_over / double(round_.jobs.size());
        for (Type& type : types_) {
            const double more = (type.left_over / double(type.jobs.size()) - mean) / std::max(dead_ends_, 1.0);
            type.importance = memory * type.importance + lesson * more;
        }
    }

    bool starts(const Node& node, std::size_t type) const {
        if (!node.left[type] || !node.profile.covers(0, demand_of(type))) return false;
        if (std::int64_t(node.profile.time(0)) + types_[type].walltime > target_) return false;
        return !windows_ || node.profile.fits_at(0, demand_of(type), types_[type].walltime);
    }
    // Moves on to the first moment at which a job can start; false if no plan can end by the target any more.
    bool wait_for_start(Node& node) {
        for (;;) {
            for (std::size_t k = node.first; k < types_.size(); ++k)
                if (starts(node, k)) return node.first = k, true;
            if (node.profile.size() == 1) return false;
            node.waste += free_at(node.profile, 0) * double(node.profile.time(1) - node.profile.time(0));
            node.profile.begin_at(1);
            node.first = 0;
            if (node.waste > slack_) return false;
            for (std::size_t k = 0; k < types_.size(); ++k)
                if (node.left[k] && std::int64_t(node.profile.time(0)) + types_[k].walltime > target_) return false;
        }
    }
    // Whether the jobs left that take more than half the machine can end by the target, one after another.
    bool wide_jobs_fit(const Node& node) const {
        std::int64_t walltime = 0, least = 0;
        for (std::size_t k = 0; k < wide_types_; ++k)
            if (node.left[k]) walltime += node.left[k] * std::int64_t(types_[k].walltime), least = types_[k].amount;
        std::size_t first = 0;
        while (first + 1 < node.profile.size() && free_at(node.profile, first) < double(least)) ++first;
        return node.profile.time(first) + walltime <= target_;
    }
    // Whether there is room, at each moment of the first half of the time left, for the jobs that run then however late
    // they start.
    bool compulsory_parts_fit(const Node& node) const {
        const std::int64_t now = node.profile.time(0), middle = (now + target_) / 2;
        double amount = 0.0;
        auto type = by_walltime_.begin();
        for (std::size_t i = 0; i < node.profile.size() && node.profile.time(i) <= middle; ++i) {
            const std::int64_t last = i + 1 < node.profile.size() ? std::min<std::int64_t>(node.profile.time(i + 1) - 1, middle) : middle;
            for (; type != by_walltime_.end() && types_[*type].walltime >= std::max(target_ - last, last - now + 1); ++type)
                amount += node.left[*type] * double(types_[*type].amount);
            if (amount > free_at(node.profile, i)) return false;
        }
        return true;
    }
    // Whether a job that starts now ends at a breakpoint.
    static bool ends_with_others(const Node& node, const Type& type) {
        const Number end = node.profile.time(0) + type.walltime;
        return node.profile.time(node.profile.index_at(end)) == end;
    }
    void expand(std::size_t number, Random& rng) {
        Node& node = beam_[number];
        if (!wait_for_start(node) || !wide_jobs_fit(node) || !compulsory_parts_fit(node)) return note_dead_end(node);
        const auto free = std::int64_t(free_at(node.profile, 0));
        const double now = double(node.profile.time(0)), next = node.profile.size() > 1 ? double(node.profile.time(1)) - now : infinity;
        filling_.begin(free);
        const std::size_t first = children_.size();
        for (std::size_t k = types_.size(); k-- > node.first;) {
            if (!node.left[k] || types_[k].amount > free || !starts(node, k)) continue;
            const Type& type = types_[k];
            // What stays free until the next breakpoint, whichever of the jobs behind this one start now, too.
            filling_.add(type.amount, node.left[k] - 1u);
            const double idle = double(filling_.least_idle(free - type.amount)) * std::min(next, double(type.walltime));
            filling_.add(type.amount, 1);
            const double waste = node.waste + idle;
            if (waste > slack_) continue;
            const double placed = node.placed + type.worth * (ends_with_others(node, type) ? 1.0 + together_ : 1.0);
            children_.push_back({(waste + first_waste_) / (placed * placed), placed, std::int32_t(number), std::int32_t(k)});
        }
        if (children_.size() == first) note_dead_end(node);
        for (std::size_t c = first; c < children_.size(); ++c) children_[c].key *= 1.0 + blur * rng.draw();
    }
    // The best children become the nodes of the next level.
    void select() {
        const auto width = std::size_t(width_);
        if (children_.size() > width) {
            std::nth_element(children_.begin(), children_.begin() + std::ptrdiff_t(width), children_.end());
            children_.resize(width);
        }
        std::sort(children_.begin(), children_.end(), [](const Child& a, const Child& b) { return std::pair(a.parent, a.type) < std::pair(b.parent, b.type); });
        if (next_.size() < children_.size()) next_.resize(children_.size());
        links_[level_].clear();
        for (std::size_t c = 0; c < children_.size(); ++c) {
            const Node& parent = beam_[std::size_t(children_[c].parent)];
            const auto k = std::size_t(children_[c].type);
            Node& node = next_[c];
            node.profile.copy_from(parent.profile, 2);
            node.profile.place_at(0, demand_of(k), types_[k].walltime);
            node.left = parent.left;
            --node.left[k];
            node.first = k, node.waste = parent.waste, node.placed = children_[c].placed;
            links_[level_].push_back({children_[c].parent, children_[c].type});
        }
        beam_.swap(next_);
        nodes_ = children_.size(), next_node_ = 0;
        children_.clear();
    }
};

}  // namespace planbatch
