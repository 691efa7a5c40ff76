// Proposals of what could start now: by EASY, by plans of several orders, and by the best plans that annealing finds.
//
// Orders reckon with expected run times. Plans reserve once by walltimes and once by expected run times; the latter do
// not know what a window takes from a job that outlives its expectation, so they are left out where there are windows.
#pragma once
#include "../../clock.hpp"
#include "../../owned_jobs.hpp"
#include "../easy.hpp"
#include "../plan_based.hpp"
#include "candidates.hpp"
#include "fixed_keys.hpp"

namespace planbatch {

template <std::size_t K>
class Proposals {
  public:
    Proposals(const PlanSearch& search, const Random& rng) : evaluations_(search.evaluations), search_(search, rng) {}

    // The base policy's proposal is the first; if it starts all jobs, it is the only one. Of its time a round keeps a
    // share for simulations: the other proposals end there.
    void make_all(const Round& round, Reals keys, const Clock& clock, Candidates& candidates) {
        start_.resize(keys.size());
        candidates.begin(round);
        propose_easy(round, keys, candidates);
        if (candidates.starts_all(0)) return;
        const Round expected = with_expected_run_times(round);
        const auto in_time = [&] { return clock.remaining() >= for_simulations * clock.seconds(); };
        if (!in_time()) return;
        propose_held_back(round, keys, candidates);
        if (!in_time()) return;
        propose_plans(round, expected, keys, candidates);
        first_.prepare(expected);
        for (const FirstOrder order : orders) {
            if (!in_time()) return;
            first_.keys(expected, order, keys_);
            propose_easy(round, keys_, candidates);
            propose_plans(round, expected, keys_, candidates);
        }
        if (evaluations_ == 0) return;
        for (const Round* searched : {&round, &expected}) {
            if ((searched == &expected && round.windows.size()) || !in_time()) return;
            propose_searched(*searched, clock, candidates);
        }
    }

  private:
    static constexpr FirstOrder orders[] = {FirstOrder::area_per_square, FirstOrder::area_per_response, FirstOrder::smallest_area,
                                            FirstOrder::area_per_age, FirstOrder::shortest};
    static constexpr std::size_t held_back = 8;  // at most so many of the base's jobs are held back, one at a time
    static constexpr double for_simulations = 0.5, for_a_search = 0.25;  // shares of the time of a round, and of what is left
    std::size_t evaluations_;
    PlanBased<K> search_;
    std::shared_ptr<FixedKeys> fixed_keys_ = std::make_shared<FixedKeys>();
    Easy<K> easy_{fixed_keys_};
    Decoder<K> decoder_;
    FirstPlanKeys first_;
    StableSort sort_;
    OwnedJobs others_;
    std::vector<double> keys_;
    std::vector<JobNumber> order_;
    std::vector<std::int64_t> start_, walltime_;

    // The round in which jobs take as long as they are expected to.
    Round with_expected_run_times(const Round& round) {
        walltime_.resize(round.jobs.size());
        for (std::size_t i = 0; i < walltime_.size(); ++i)
            walltime_[i] = std::min(std::max<std::int64_t>(std::int64_t(expected_run(round.jobs, i)), 1), round.jobs.walltime[i]);
        Round expected = round;
        expected.jobs.walltime = walltime_;
        return expected;
    }
    std::span<const JobNumber> sorted(Reals keys) {
        order_.resize(keys.size());
        sort_(keys.data(), order_);
        return order_;
    }

    // What EASY would start.
    void propose_easy(const Round& round, Reals keys, Candidates& candidates) {
        decide_easy(round, keys, start_);
        candidates.propose(start_);
    }
    void decide_easy(const Round& round, Reals keys, std::span<std::int64_t> start) {
        fixed_keys_->give(keys);
        std::ranges::fill(start, never);
        easy_.decide(round, {start, {}});
    }
    // What the plans start in which every job has a reservation.
    void propose_plans(const Round& round, const Round& expected, Reals keys, Candidates& candidates) {
        const Order order = sorted(keys);
        for (const Round* reserved : {&round, &expected}) {
            if (reserved == &expected && round.windows.size()) return;
            decoder_.prepare(*reserved);
            decoder_.decode(order, start_);
            candidates.propose(start_);
        }
    }
    // What EASY would start if one of the jobs that it starts were not there: for each of the first few.
    void propose_held_back(const Round& round, Reals keys, Candidates& candidates) {
        if (keys.size() == 1) return;
        std::size_t left = held_back;
        for (const JobNumber held : sorted(keys)) {
            if (left == 0) return;
            if (!candidates.set(0)[std::size_t(held)]) continue;
            --left;
            hold_back(round, keys, std::size_t(held));
            candidates.propose(start_);
        }
    }
    void hold_back(const Round& round, Reals keys, std::size_t held) {
        std::vector<std::size_t> which;
        std::vector<double> other_keys;
        std::vector<std::int64_t> planned, occupied, start(keys.size() - 1);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (i == held) continue;
            which.push_back(i), other_keys.push_back(keys[i]);
            planned.push_back(round.planned[i]), occupied.push_back(round.occupied[i]);
        }
        others_.choose(round.jobs, which, round.width());
        Round few = round;
        few.jobs = others_.table(), few.planned = planned, few.occupied = occupied;
        decide_easy(few, other_keys, start);
        start_[held] = never;
        for (std::size_t i = 0; i < which.size(); ++i) start_[which[i]] = start[i];
    }
    // What the best plan starts that annealing finds.
    void propose_searched(const Round& round, const Clock& clock, Candidates& candidates) {
        search_.decide_until(round, {start_, {}}, Clock(for_a_search * clock.remaining()));
        candidates.propose(start_);
    }
};

}  // namespace planbatch
