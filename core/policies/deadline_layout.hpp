// How the jobs of L₁ make room for a regular job: who comes before it, so that all deadlines hold (Algorithm 1 of
// N'takpé and Suter, JSSPP 2017 and ComPAS 2016).
#pragma once
#include "deadline_queues.hpp"

namespace planbatch {

// Which algorithm it is. In that of 2017 jobs that would be late become urgent one at a time, the first in FCFS order
// (lines 9 to 21); in that of 2016 all of them together (line 2).
enum class UrgentJobs : std::int64_t { one_at_a_time, all_at_once };

template <std::size_t K>
class DeadlineLayout {
  public:
    explicit DeadlineLayout(UrgentJobs rule) : rule_(rule) {}

    // Reserves for a regular job (`none` for none), and again for L₁; returns whether deadlines hold. Urgent jobs move
    // to L₀, and definitive reservations are added to the committed profile; the one of all reservations is written
    // anew. If the deadlines do not hold, only that one changes.
    bool lay_out_again(DeadlineQueues<K>& queues, std::size_t regular) {
        const std::size_t n = queues.size();
        urgent_.assign(n, 0);
        trial_.resize(n);
        if (!(rule_ == UrgentJobs::all_at_once ? find_2016(queues, regular) : find_2017(queues, regular))) return false;
        const std::span<std::int64_t> start = queues.start();
        for (std::size_t i = 0; i < n; ++i) {
            if (i == regular || queues.is_tentative(i)) start[i] = trial_[i];
            if (i != regular && !urgent_[i]) continue;
            if (i == regular) queues.join_definitive(i);
            else queues.move_to_definitive(i);
            queues.committed().take_between(start[i], start[i] + queues.walltime(i), queues.demand(i));
        }
        return true;
    }

  private:
    UrgentJobs rule_;
    std::vector<char> urgent_;         // L_tmp: jobs of L₁ that are laid out before the regular job
    std::vector<std::int64_t> trial_;  // the reservations that are tried

    // Who must come before the regular job (2017, lines 4 to 35). Jobs that would be late become urgent one at a time.
    // Then, while an urgent job is late, all those submitted before the last such join (lines 22 to 35). The paper does
    // this once, without checking the deadlines again; here both steps are repeated until the deadlines hold.
    bool find_2017(DeadlineQueues<K>& queues, std::size_t regular) {
        for (;;) {
            if (const std::size_t late = lay_out(queues, regular); late != none) {
                urgent_[late] = 1;
                continue;
            }
            const std::size_t last = last_late_urgent(queues);
            if (last == none) return true;
            if (all_before_are_urgent(queues, last)) return false;
        }
    }
    // The same by lines 2 to 10 of 2016. All jobs that would be late become urgent together (line 2); if one of them is
    // still late, all those submitted before the last such join (lines 4 to 7). Only then the regular job and the rest
    // are reserved (lines 8 and 10). The paper does not check the rest again; here, late jobs among the rest become
    // urgent in turn.
    bool find_2016(DeadlineQueues<K>& queues, std::size_t regular) {
        for (;;) {
            const std::size_t late = lay_out(queues, regular), last = last_late_urgent(queues);
            if (last != none) {
                if (all_before_are_urgent(queues, last)) return false;
            } else if (late == none) {
                return true;
            } else {
                for (std::size_t i = 0; i < queues.size(); ++i)
                    if (queues.is_tentative(i) && queues.late(i, trial_[i])) urgent_[i] = 1;
            }
        }
    }

    // Reserves, in `trial_`, behind what is committed: the urgent jobs, the regular one, and the rest of L₁, each in
    // FCFS order. Returns the first of the rest that misses its deadline, or `none`; if late jobs become urgent one at a
    // time, those behind it are not laid out.
    std::size_t lay_out(DeadlineQueues<K>& queues, std::size_t regular) {
        Profile<K>& profile = queues.all();
        profile.copy_from(queues.committed(), 2 * queues.size());
        for (std::size_t i = 0; i < queues.size(); ++i)
            if (urgent_[i]) trial_[i] = queues.reserve(profile, i);
        if (regular != none) trial_[regular] = queues.reserve(profile, regular);
        std::size_t late = none;
        for (std::size_t i = 0; i < queues.size(); ++i) {
            if (!queues.is_tentative(i) || urgent_[i]) continue;
            trial_[i] = queues.reserve(profile, i);
            if (late != none || !queues.late(i, trial_[i])) continue;
            late = i;
            if (rule_ == UrgentJobs::one_at_a_time) break;
        }
        return late;
    }
    // The last of the urgent jobs that misses its deadline, or `none` (line 23).
    std::size_t last_late_urgent(const DeadlineQueues<K>& queues) const {
        for (std::size_t i = queues.size(); i-- > 0;)
            if (urgent_[i] && queues.late(i, trial_[i])) return i;
        return none;
    }
    // Makes all jobs of L₁ before `last` urgent (lines 24, 25); whether they already were.
    bool all_before_are_urgent(const DeadlineQueues<K>& queues, std::size_t last) {
        bool already = true;
        for (std::size_t i = 0; i < last; ++i) {
            if (!queues.is_tentative(i) || urgent_[i]) continue;
            urgent_[i] = 1;
            already = false;
        }
        return already;
    }
};

}  // namespace planbatch
