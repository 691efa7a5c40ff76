// Beam search for the makespan: what wastes little, and leaves small jobs for later gaps.
//
// Jobs start as soon as they fit; where none may start any more, time moves on to the next breakpoint, and what is free
// until then is wasted. The best children are those of little waste and much area placed. So that passes differ, each
// draws how much it prefers wide jobs, and jobs that end when others do, and how much waste counts, and blurs keys at
// random. Jobs that dead ends leave over count more in later passes.
//
// A pass looks for a plan that ends earlier than the best: whatever wastes more than that leaves is cut off, and so is a
// node whose jobs left cannot all end in time: those that take more than half the machine run one after another, and
// those that are long all run in the middle of the time left, however late they start. (Waste and mean area as guides:
// Fontan and Libralesso 2020; what was left over counts more, squeaky wheel optimization: Joslin, Clements, JAIR 10
// (1999); compulsory parts: Lahrichi 1982.)
#pragma once
#include <cmath>

#include "beam_search.hpp"
#include "filling.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class WasteGuide {
  public:
    static constexpr double growth = 1.5;         // of the width, from pass to pass
    static constexpr double widening = 0.7;       // how much wider the last level is than the mean one, and narrower the first
    static constexpr std::size_t spare = 1;       // no children are alike
    static constexpr double blur = 0.1;           // the most by which a key grows at random
    static constexpr double least_waste = 5e-4;   // counts as wasted from the start, as a share of the area;
    static constexpr double spread = 2.0;         // a pass takes e^-spread to e^spread times as much
    static constexpr double widest = 1.0;         // the most by which the widest job counts beyond its area
    static constexpr double together = 4.0;       // the most by which a job that ends when others do counts beyond that
    static constexpr double lesson = 0.15;        // the most by which a pass changes the importance of a job
    static constexpr double memory = 0.9;         // the share of its importance that a job keeps from pass to pass

    struct Sums {
        double waste, placed;
    };
    using Node = BeamNode<K, Number, Sums>;
    using Child = BeamChild<Sums>;

    void begin(const Round& round, const Profile<K, Number>& base, const JobTypes<K, Number>& types, std::span<const MarginalCost>) {
        jobs_ = double(round.jobs.size()), windows_ = round.windows.size() > 0;
        base_ = &base, types_ = &types;
        for (wide_types_ = 0; wide_types_ < types.size() && types[wide_types_].amount > round.capacities[types.bottleneck()] / 2;) ++wide_types_;
        by_walltime_.resize(types.size());
        std::iota(by_walltime_.begin(), by_walltime_.end(), 0);
        std::stable_sort(by_walltime_.begin(), by_walltime_.end(), [&](auto a, auto b) { return types[a].walltime > types[b].walltime; });
        area_ = 0.0;
        for (const auto& type : types) area_ += double(type.jobs.size()) * type.area;
        importance_.assign(types.size(), 0.0);
        worth_.resize(types.size());
    }
    // The first moment (s after now) at which the machine can have done all the work.
    std::int64_t bound() const {
        const Profile<K, Number>& base = *base_;
        const auto free = [&](std::size_t i) { return types_->free_at(base, i); };
        double left = area_;
        for (std::size_t i = 0; i + 1 < base.size(); ++i) {
            const double step = free(i) * double(base.time(i + 1) - base.time(i));
            if (step >= left) return base.time(i) + whole(left / free(i));
            left -= step;
        }
        return base.time(base.size() - 1) + whole(left / free(base.size() - 1));
    }

    // The next pass looks for a plan that ends by the target at the latest (s after now).
    void aim(std::int64_t target) { target_ = target; }
    void begin_pass(std::size_t, Random& rng) {
        const double wide = widest * rng.draw() / double(std::max(types_->front().amount, Number(1)));
        for (std::size_t k = 0; k < types_->size(); ++k) worth_[k] = std::exp(importance_[k]) * type(k).area * (1.0 + wide * double(type(k).amount));
        first_waste_ = least_waste * area_ * std::exp(spread * (2.0 * rng.draw() - 1.0));
        together_ = together * rng.draw();
        slack_ = -area_;  // what is free until the target, less what the jobs take
        for (std::size_t i = 0; i < base_->size() && base_->time(i) < target_; ++i) {
            const std::int64_t until = i + 1 < base_->size() ? std::min<std::int64_t>(base_->time(i + 1), target_) : target_;
            slack_ += types_->free_at(*base_, i) * double(until - base_->time(i));
        }
        left_over_.assign(types_->size(), 0.0);
        dead_ends_ = 0.0;
    }
    // Jobs that dead ends left over more often than the mean job get more important.
    void end_pass() {
        double mean = 0.0;
        for (const double left_over : left_over_) mean += left_over / jobs_;
        for (std::size_t k = 0; k < types_->size(); ++k) {
            const double more = (left_over_[k] / double(type(k).jobs.size()) - mean) / std::max(dead_ends_, 1.0);
            importance_[k] = memory * importance_[k] + lesson * more;
        }
    }

    // A job that is placed as in another plan.
    void place(std::size_t type, Sums& sums) const { sums.placed += worth_[type]; }

    void expand(Node& node, std::int32_t number, Random& rng, std::vector<Child>& children, bool partial) {
        const std::size_t first = children.size();
        if (wait_for_start(node) && wide_jobs_fit(node) && compulsory_parts_fit(node)) add_children(node, number, children);
        if (children.size() == first && !partial) note_dead_end(node);
        for (std::size_t c = first; c < children.size(); ++c) children[c].key *= 1.0 + blur * rng.draw();
    }
    void drop_alike(std::vector<Child>&) const {}

  private:
    const Profile<K, Number>* base_ = nullptr;
    const JobTypes<K, Number>* types_ = nullptr;
    bool windows_ = false;
    double jobs_ = 0.0, area_ = 0.0;
    std::vector<std::size_t> by_walltime_;  // types, the longest first
    std::size_t wide_types_ = 0;            // the first ones: their jobs take more than half the machine
    std::vector<double> importance_;        // of types: logarithm of how much more it counts, learnt from the passes before
    std::vector<double> worth_;             // what one of them adds to what a node has placed, in this pass
    std::vector<double> left_over_;         // how many of them the dead ends of this pass left, in all
    double slack_ = 0.0, first_waste_ = 0.0, together_ = 0.0, dead_ends_ = 0.0;
    std::int64_t target_ = 0;
    Filling filling_;

    static std::int64_t whole(double seconds) { return std::int64_t(std::ceil(seconds * (1.0 - 1e-12) - 1e-9)); }
    const auto& type(std::size_t k) const { return (*types_)[k]; }
    double free_at(const Node& node, std::size_t i) const { return types_->free_at(node.profile, i); }

    void note_dead_end(const Node& node) {
        ++dead_ends_;
        for (std::size_t k = 0; k < types_->size(); ++k) left_over_[k] += double(node.left[k]);
    }
    bool starts(const Node& node, std::size_t k) const {
        if (!node.left[k] || !node.profile.covers(0, types_->demand(k))) return false;
        if (std::int64_t(node.profile.time(0)) + type(k).walltime > target_) return false;
        return !windows_ || node.profile.fits_at(0, types_->demand(k), type(k).walltime);
    }
    // Moves on to the first moment at which a job can start; false if no plan can end by the target any more.
    bool wait_for_start(Node& node) const {
        for (;;) {
            for (std::size_t k = node.first; k < types_->size(); ++k)
                if (starts(node, k)) return node.first = k, true;
            if (node.profile.size() == 1) return false;
            node.sums.waste += types_->idle_at(node.profile, 0);
            node.profile.begin_at(1);
            node.first = 0;
            if (node.sums.waste > slack_) return false;
            for (std::size_t k = 0; k < types_->size(); ++k)
                if (node.left[k] && std::int64_t(node.profile.time(0)) + type(k).walltime > target_) return false;
        }
    }
    // Whether the jobs left that take more than half the machine can end by the target, one after another.
    bool wide_jobs_fit(const Node& node) const {
        std::int64_t walltime = 0, least = 0;
        for (std::size_t k = 0; k < wide_types_; ++k)
            if (node.left[k]) walltime += node.left[k] * std::int64_t(type(k).walltime), least = type(k).amount;
        std::size_t first = 0;
        while (first + 1 < node.profile.size() && free_at(node, first) < double(least)) ++first;
        return node.profile.time(first) + walltime <= target_;
    }
    // Whether there is room, at each moment of the first half of the time left, for the jobs that run then however late
    // they start.
    bool compulsory_parts_fit(const Node& node) const {
        const std::int64_t now = node.profile.time(0), middle = (now + target_) / 2;
        double amount = 0.0;
        auto next = by_walltime_.begin();
        for (std::size_t i = 0; i < node.profile.size() && node.profile.time(i) <= middle; ++i) {
            const std::int64_t last = i + 1 < node.profile.size() ? std::min<std::int64_t>(node.profile.time(i + 1) - 1, middle) : middle;
            for (; next != by_walltime_.end() && type(*next).walltime >= std::max(target_ - last, last - now + 1); ++next)
                amount += node.left[*next] * double(type(*next).amount);
            if (amount > free_at(node, i)) return false;
        }
        return true;
    }
    // Whether a job that starts now ends at a breakpoint.
    bool ends_with_others(const Node& node, std::size_t k) const {
        const Number end = node.profile.time(0) + type(k).walltime;
        return node.profile.time(node.profile.index_at(end)) == end;
    }
    void add_children(const Node& node, std::int32_t number, std::vector<Child>& children) {
        const auto free = std::int64_t(free_at(node, 0));
        const double now = double(node.profile.time(0)), next = node.profile.size() > 1 ? double(node.profile.time(1)) - now : infinity;
        filling_.begin(free);
        for (std::size_t k = types_->size(); k-- > node.first;) {
            if (!node.left[k] || type(k).amount > free || !starts(node, k)) continue;
            // What stays free until the next breakpoint, whichever of the jobs behind this one start now, too.
            filling_.add(type(k).amount, node.left[k] - 1u);
            const double idle = double(filling_.least_idle(free - type(k).amount)) * std::min(next, double(type(k).walltime));
            filling_.add(type(k).amount, 1);
            if (node.sums.waste + idle > slack_) continue;
            const double placed = node.sums.placed + worth_[k] * (ends_with_others(node, k) ? 1.0 + together_ : 1.0);
            const double key = (node.sums.waste + idle + first_waste_) / (placed * placed);
            children.push_back({key, number, std::int32_t(k), 0, {node.sums.waste, placed}});
        }
    }
};

}  // namespace planbatch
