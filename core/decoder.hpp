// The decoder: permutation to plan, each job in turn at its earliest feasible start.
//
// A decoder is prepared for a round and then decodes many orders. Number may be int32 if the horizon and the amounts
// fit, which makes profiles half as large.
#pragma once
#include "round_profile.hpp"
#include "start_bounds.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number = std::int64_t>
class Decoder {
  public:
    static constexpr std::size_t many_jobs = K == 1 ? 100 : 30;  // from here on, remembering bounds pays
    static constexpr std::size_t most_snapshots = 64, least_stride = 2;  // of the shared prefix

    void prepare(const Round& round) {
        now_ = round.now;
        fill(round, base_);
        amounts_.assign(round.jobs.amounts.begin(), round.jobs.amounts.end());
        walltime_.assign(round.jobs.walltime.begin(), round.jobs.walltime.end());
        many_ = size() >= many_jobs;
        stride_ = std::max<std::size_t>(least_stride, size() / most_snapshots);
        if (many_) classes_.classify(round.jobs, round.width());
        known_ = 0;
    }
    std::size_t size() const { return walltime_.size(); }

    // Writes the plan of an order, which must be a permutation, into `start`.
    void decode(Order order, std::span<std::int64_t> start) {
        profile_.copy_from(base_, size());
        if (many_) bounds_.clear(classes_);
        place_some(order, 0, size(), start);
    }

    // What the round begins with, and what the last plan leaves, in seconds from the round's `now`.
    const Profile<K, Number>& base() const { return base_; }
    const Profile<K, Number>& profile() const { return profile_; }

    // The same; false as soon as a job would start after its limit.
    bool decode_within(Order order, Column limit, std::span<std::int64_t> start) {
        profile_.copy_from(base_, size());
        if (many_) bounds_.clear(classes_);
        for (std::size_t p = 0; p < size(); ++p) {
            place_some(order, p, p + 1, start);
            if (start[std::size_t(order[p])] > limit[std::size_t(order[p])]) return false;
        }
        return true;
    }

    // Writes the plan of a neighbour of the base order, whose plan is `base`: other jobs stand in the places from `first`
    // to `last`. If these start as in `base` (one neighbour in six to four), so do those behind them.
    void decode_neighbour(Order order, std::size_t first, std::size_t last, Column base, std::span<std::int64_t> start) {
        if (snapshots_.size() < size() / stride_ + 1) snapshots_.resize(size() / stride_ + 1);
        if (known_ == 0) {
            snapshots_[0].profile.copy_from(base_, 0);
            snapshots_[0].bounds.clear(classes_);
            known_ = 1;
        }
        std::copy(base.begin(), base.end(), start.begin());
        std::size_t k = std::min(known_ - 1, first / stride_);
        profile_.copy_from(snapshots_[k].profile, size());
        if (many_) bounds_ = snapshots_[k].bounds;
        while ((k + 1) * stride_ <= first) {
            place_some(order, k * stride_, (k + 1) * stride_, start);
            ++k;
            snapshots_[k].profile.copy_from(profile_, 0);
            if (many_) snapshots_[k].bounds = bounds_;
            known_ = k + 1;
        }
        place_some(order, k * stride_, last + 1, start);
        const auto starts_as_in_base = [&](JobNumber job) { return start[std::size_t(job)] == base[std::size_t(job)]; };
        const auto begin = order.begin();
        if (std::all_of(begin + std::ptrdiff_t(first), begin + std::ptrdiff_t(last) + 1, starts_as_in_base)) return;
        place_some(order, last + 1, size(), start);
    }
    // The base order is another one from place `same` on.
    void base_changed(std::size_t same) { known_ = std::min(known_, same / stride_ + 1); }

  private:
    struct Snapshot {
        Profile<K, Number> profile;
        StartBounds<K, Number> bounds;
    };
    std::int64_t now_ = 0;
    bool many_ = false;
    std::size_t stride_ = least_stride;  // places between two snapshots of a shared prefix
    Profile<K, Number> base_, profile_;
    std::vector<Number> amounts_, walltime_;
    StartBounds<K, Number>::Classes classes_;
    StartBounds<K, Number> bounds_;
    std::vector<Snapshot> snapshots_;
    std::size_t known_ = 0;  // snapshots that hold for the base order

    void place_some(Order order, std::size_t first, std::size_t last, std::span<std::int64_t> start) {
        if (many_) place<true>(order, first, last, start);
        else place<false>(order, first, last, start);
    }
    template <bool bounded>
    void place(Order order, std::size_t first, std::size_t last, std::span<std::int64_t> start) {
        for (std::size_t p = first; p < last; ++p) {
            const auto job = std::size_t(order[p]);
            std::size_t i = 0;
            if constexpr (bounded) i = bounds_.bound(classes_, job, profile_);
            i = profile_.place_earliest(row_of<K>(amounts_.data(), job, profile_.width()), walltime_[job], i);
            if constexpr (bounded) bounds_.placed(classes_, job, i);
            start[job] = now_ + std::int64_t(profile_.time(i));
        }
    }
};

}  // namespace planbatch
