// Promises that hold whatever is predicted: a plan made with predictions is carried out only if the requests allow it.
//
// Searches may believe that jobs are short. Promises may not: a job holds its processors until its request ends, if it
// likes. So there are two plans: the one that is carried out, of predicted run times, and a guarantee, of requests.
//
// No promise is ever broken. There is a guarantee after the first round with a promise, since promises come from it.
// Let there be one after a round at t, and let the next round be at t'. No start that was planned after t lies before
// t', since a planned start that falls due is a round; so none of the guarantee does, which starts no job earlier. The
// jobs started at t are those that it starts at t; running jobs ended by their requests, and each that ended left what
// it held. So the guarantee is feasible at t'. Decoded by requests in the order of its starts, it starts no job later
// than before, new jobs behind the others delay none, and every promise is kept: with this plan `mend` begins, and it
// leaves it only for one that keeps them, too. The plan by predictions is carried out only if `follow` finds a guarantee
// for it that keeps them. Either way there is one after t'. Only a window that became known since can make a guarantee
// infeasible; then promises are relaxed by as little as FeasiblePromises can.
#pragma once
#include "../objectives/objective.hpp"
#include "../promises.hpp"

namespace planbatch {

template <std::size_t K>
class PromiseGuard {
  public:
    // `requested` is the round by requests; its `planned` is the guarantee of the round before, `never` for new jobs. `plan`
    // is mended if it could break a promise; `guaranteed` becomes the new guarantee: a feasible plan of the requests in
    // which no job starts before it does in `plan`, and those that start now do so.
    void guard(const Round& requested, std::span<std::int64_t> plan, std::span<std::int64_t> guaranteed) {
        if (follow(requested, plan, guaranteed) && keeps_promises(guaranteed, requested.jobs.latest)) {
            for (std::size_t i = 0; i < plan.size(); ++i)
                if (plan[i] == never) plan[i] = guaranteed[i];
            return;
        }
        decoder_.prepare(requested);
        mend(promises_.of(requested, decoder_), plan, guaranteed);
    }

  private:
    Decoder<K> decoder_;
    Profile<K> profile_;
    FeasiblePromises promises_;
    StableSort sort_;
    std::vector<JobNumber> order_;
    std::vector<std::int64_t> released_, first_, trial_;

    std::span<const JobNumber> sorted(Column keys) {
        order_.resize(keys.size());
        sort_(keys.data(), order_);
        return order_;
    }

    // Places jobs in the order of their planned starts, each at its earliest feasible start from the planned one on;
    // false if a job that the plan starts now cannot start now for as long as it asks. What is promised and not planned
    // is placed from its promise on; what is neither is left out.
    bool follow(const Round& requested, Column plan, std::span<std::int64_t> guaranteed) {
        const JobTable& jobs = requested.jobs;
        released_.assign(plan.begin(), plan.end());
        for (std::size_t i = 0; i < plan.size(); ++i)
            if (plan[i] == never && jobs.latest[i] != never) released_[i] = std::max(jobs.latest[i], requested.now + 1);
        fill(requested, profile_, 3 * plan.size());
        for (const JobNumber job : sorted(released_)) {
            const auto i = std::size_t(job);
            guaranteed[i] = never;
            if (released_[i] == never) continue;
            const std::size_t from = profile_.split(released_[i] - requested.now);
            const std::size_t at = profile_.place_earliest(demand_of<K>(requested, i), jobs.walltime[i], from);
            guaranteed[i] = requested.now + profile_.time(at);
            if (plan[i] == requested.now && guaranteed[i] != requested.now) return false;
        }
        return true;
    }

    // Takes the guarantee for the plan, with as many of the plan's starts of this moment as it allows. Those are tried
    // one after the other, in the order of the queue: placed first, the others after them in the order of the guarantee.
    void mend(const Round& requested, std::span<std::int64_t> plan, std::span<std::int64_t> guaranteed) {
        decoder_.decode(sorted(requested.planned), guaranteed);
        trial_.resize(plan.size());
        for (std::size_t i = 0; i < plan.size(); ++i) {
            if (plan[i] != requested.now || guaranteed[i] == requested.now) continue;
            first_.assign(guaranteed.begin(), guaranteed.end());
            for (std::size_t k = 0; k <= i; ++k)
                if (plan[k] == requested.now && (k == i || guaranteed[k] == requested.now)) first_[k] = requested.now - 1;
            decoder_.decode(sorted(first_), trial_);
            if (trial_[i] == requested.now && keeps_promises(trial_, requested.jobs.latest)) std::copy(trial_.begin(), trial_.end(), guaranteed.begin());
        }
        std::copy(guaranteed.begin(), guaranteed.end(), plan.begin());
    }
};

}  // namespace planbatch
