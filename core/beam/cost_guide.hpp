// Beam search for costs that add up over jobs, such as waits: by the cost so far and an estimate of what the jobs left will
// cost.
//
// Each job starts as early as it fits, and no earlier than the last one. The jobs left run one after another on the whole
// machine, in the order of Smith's rule, behind the work that is placed or running and part of what is wasted; from when
// each is half done, a part of its walltime is subtracted (mean busy times: Goemans, SODA 1997). So that a wide job is not
// put off for the idle time in which the machine is gathered for it, it counts as more work, the wider the more, until it
// is placed; then what it wastes counts. Each pass but the first draws how much all of that counts. Of children that have
// placed the same jobs, the best survives.
#pragma once
#include <cmath>

#include "beam_search.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class CostGuide {
  public:
    static constexpr double growth = 1.2;    // of the width, from pass to pass
    static constexpr double widening = 0.0;  // levels are equally wide
    static constexpr std::size_t spare = 4;  // widths of children from which those that are alike are dropped

    // How much counts.
    struct Weights {
        double early;   // the part of its walltime by which a job starts sooner than it is half done
        double wasted;  // the part of what is wasted that is work in front of the jobs left
        double wide;    // how long half of the machine is idle for a job of all of it, over the mean walltime
    };
    static constexpr Weights first_weights{0.25, 0.7, 0.3};                                // of the first pass;
    static constexpr Weights least_weights{0.0, 0.3, 0.0}, range_weights{0.2, 0.9, 0.3};  // the others draw them

    struct Sums {
        double waste, placed, cost;  // `placed`: area
        std::uint64_t set;           // a hash of the jobs
    };
    using Node = BeamNode<K, Number, Sums>;
    using Child = BeamChild<Sums>;

    void begin(const Round& round, const Profile<K, Number>&, const JobTypes<K, Number>& types, std::span<const MarginalCost> costs) {
        types_ = &types, costs_.assign(costs.begin(), costs.end());
        windows_ = round.windows.size() > 0;
        capacity_ = double(std::max<std::int64_t>(round.capacities[types.bottleneck()], 1));
        running_ = area_ = mean_walltime_ = 0.0;
        for (std::size_t i = 0; i < round.running.size(); ++i)
            running_ += double(round.running.amounts[i * round.width() + types.bottleneck()]) * double(round.running.end[i] - round.now);
        for (const auto& type : types) {
            const double area = double(type.jobs.size()) * type.area;
            area_ += area, mean_walltime_ += area * double(type.walltime);
        }
        mean_walltime_ /= std::max(area_, 1.0);  // of a unit of work
    }

    void begin_pass(std::size_t passes, Random& rng) {
        weights_ = first_weights;
        if (passes > 0)
            for (const auto weight : {&Weights::early, &Weights::wasted, &Weights::wide})
                weights_.*weight = least_weights.*weight + range_weights.*weight * rng.draw();
        const double middle = 0.5 * (running_ + area_) / capacity_;  // half-time
        jobs_.clear();
        for (std::size_t k = 0; k < types_->size(); ++k) {
            const auto& type = (*types_)[k];
            const double own = work(k), start = 0.5 * own - weights_.early * double(type.walltime);
            for (std::size_t i = 0; i < type.jobs.size(); ++i) {
                const MarginalCost& cost = costs_[std::size_t(type.jobs[i])];
                const double slope = std::max(cost.parabola_slope_at(middle), 1e-300);
                jobs_.push_back({own / slope, own, start, std::int32_t(k), std::int32_t(type.jobs.size() - i), cost});
            }
        }
        std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.key < b.key; });
    }
    void end_pass() {}

    void expand(const Node& node, std::int32_t number, Random&, std::vector<Child>& children, bool) {
        const Estimate all = estimate(node);
        idle_.assign(1, 0.0);
        for (std::size_t i = 0; i + 1 < node.profile.size(); ++i) idle_.push_back(idle_.back() + types_->idle_at(node.profile, i));
        for (const Next& next : next_) add_child(node, number, next, all, children);
    }
    // Those that have placed the same jobs as a better one.
    void drop_alike(std::vector<Child>& children) const {
        std::sort(children.begin(), children.end(), [](const Child& a, const Child& b) {
            return std::tuple(a.sums.set, a.key, a.parent, a.type) < std::tuple(b.sums.set, b.key, b.parent, b.type);
        });
        const auto alike = [](const Child& a, const Child& b) { return a.sums.set == b.sums.set; };
        children.erase(std::unique(children.begin(), children.end(), alike), children.end());
    }

  private:
    struct Job {  // in the order of Smith's rule
        double key, work, start;   // work: seconds of the whole machine; start: seconds after it is its turn
        std::int32_t type, least;  // it is left where at least so many jobs of its type are
        MarginalCost cost;
    };
    // What some jobs are estimated to cost, as a function of how much later they start than it is their turn.
    struct Estimate {
        double cost = 0.0, slope = 0.0, square = 0.0;

        double at(double later) const { return cost + later * (slope + later * square); }
        Estimate& operator+=(const Estimate& other) { return cost += other.cost, slope += other.slope, square += other.square, *this; }
        Estimate operator-(const Estimate& other) const { return {cost - other.cost, slope - other.slope, square - other.square}; }
    };
    struct Next {  // the job that starts next of its type
        const Job* job;
        Estimate before, own;  // of the jobs before it in Smith's order, and of itself
    };

    const JobTypes<K, Number>* types_ = nullptr;
    std::vector<MarginalCost> costs_;
    bool windows_ = false;
    double capacity_ = 1.0, running_ = 0.0, area_ = 0.0, mean_walltime_ = 0.0;
    Weights weights_{};  // in this pass
    std::vector<Job> jobs_;
    std::vector<Next> next_;
    std::vector<double> idle_;  // until each breakpoint

    // Seconds of the whole machine that a job counts as until it is placed.
    double work(std::size_t k) const {
        const auto& type = (*types_)[k];
        const double gathering = 0.5 * weights_.wide * double(type.amount) * double(type.amount) / capacity_ * mean_walltime_;
        return (type.area + gathering) / capacity_;
    }
    // Estimates what the jobs left cost, together and up to each that may start next.
    Estimate estimate(const Node& node) {
        const double now = double(node.profile.time(0));
        double turn = (running_ + node.sums.placed + weights_.wasted * node.sums.waste) / capacity_;
        Estimate all;
        next_.clear();
        for (const Job& job : jobs_) {
            const std::int32_t left = node.left[std::size_t(job.type)];
            if (left < job.least) continue;
            const bool late = turn + job.start < now;  // then it would start now, and a little more work does not matter
            const Estimate own = estimate(job.cost, std::max(turn + job.start, now), !late);
            if (left == job.least) next_.push_back({&job, all, own});
            all += own;
            turn += job.work;
        }
        return all;
    }
    static Estimate estimate(const MarginalCost& cost, double start, bool moves) {
        if (!moves) return {cost.at(start), 0.0, 0.0};
        return {cost.at(start), cost.slope_at(start), cost.square};
    }
    void add_child(const Node& node, std::int32_t number, const Next& next, const Estimate& all, std::vector<Child>& children) const {
        const auto k = std::size_t(next.job->type);
        const auto& type = (*types_)[k];
        std::size_t at = k < node.first;  // a type before the first one starts no more at this moment
        if (at == node.profile.size()) return;
        if (windows_) at = node.profile.earliest_slot(types_->demand(k), type.walltime, at).first;
        else while (!node.profile.covers(at, types_->demand(k))) ++at;
        const double later = weights_.wasted * idle_[at] / capacity_;
        const Estimate after = all - next.before - next.own;
        Sums sums = node.sums;
        sums.waste += idle_[at], sums.placed += type.area, sums.set += mark(k);
        sums.cost += next.job->cost.at(double(node.profile.time(at)));
        const double key = sums.cost + next.before.at(later + type.area / capacity_) + after.at(later);
        children.push_back({std::isfinite(key) ? key : std::numeric_limits<double>::max(), number, next.job->type, std::int32_t(at), sums});
    }
    // A number as good as random per type (SplitMix64); sums of them tell sets of jobs apart.
    static std::uint64_t mark(std::size_t type) {
        std::uint64_t z = (type + 1) * 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
};

}  // namespace planbatch
