// Moves that pull a job forward and eject what is in its way (ejection chains: Glover, Discrete Applied Mathematics 65,
// 1996).
//
// A job that is inserted before others still waits for those that run when they start. Here random ones of these follow
// it, as many as it takes until it fits.
#pragma once
#include "../random.hpp"
#include "../profile.hpp"
#include "../round.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number>
class Ejection {
  public:
    // `base` is what the round begins with, and must live as long as it is used here.
    void prepare(const Round& round, const Profile<K, Number>& base) {
        round_ = round, base_ = &base;
        ejected_.assign(round.jobs.size(), false);
    }
    // Pulls the job at place `from` of an order before the one at `to` < `from`, to start when that did; `start` is the plan
    // of the order, and the candidate a copy. Returns the first place that has changed.
    std::size_t pull(Order order, Column start, std::size_t from, std::size_t to, std::span<JobNumber> candidate, Random& rng) {
        const auto at = [&](std::size_t place) { return candidate.begin() + std::ptrdiff_t(place); };
        std::rotate(at(to), at(from), at(from + 1));
        const std::size_t first = eject(order, start, std::size_t(order[from]), to, rng);
        if (first < to) std::stable_partition(at(first), at(to + 1), [&](JobNumber job) { return !ejected_[std::size_t(job)]; });
        for (std::size_t k = first; k < to; ++k) ejected_[std::size_t(order[k])] = false;
        return first;
    }

  private:
    Round round_{};
    const Profile<K, Number>* base_ = nullptr;
    std::vector<char> ejected_;
    std::vector<std::int64_t> free_;
    std::vector<std::size_t> running_;  // places of jobs that run when the one at `to` starts

    // Marks jobs before `to` until a job fits when the one at `to` starts; the first place of one, or `to`.
    std::size_t eject(Order order, Column start, std::size_t job, std::size_t to, Random& rng) {
        const std::int64_t moment = start[std::size_t(order[to])];
        const Number* free = base_->row(base_->index_at(Number(moment - round_.now)));
        free_.assign(free, free + round_.width());
        running_.clear();
        for (std::size_t k = 0; k < to; ++k) {
            const auto other = std::size_t(order[k]);
            if (start[other] + round_.jobs.walltime[other] <= moment) continue;
            running_.push_back(k);
            take(free_.data(), demand_of<K>(round_, other));
        }
        std::size_t first = to;
        while (!running_.empty() && !covers(free_.data(), demand_of<K>(round_, job))) {
            std::swap(running_[std::size_t(double(running_.size()) * rng.draw())], running_.back());
            const std::size_t place = running_.back();
            running_.pop_back();
            ejected_[std::size_t(order[place])] = true;
            give(free_.data(), demand_of<K>(round_, std::size_t(order[place])));
            first = std::min(first, place);
        }
        return first;
    }
};

}  // namespace planbatch
