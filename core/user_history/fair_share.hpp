// The decayed use of every user, and the fair-share factor that follows from it, as in Slurm.
#pragma once
#include <cmath>
#include <tuple>

#include "history.hpp"

namespace planbatch {

class FairShare : public History {
  public:
    // Columns of `past`: the fair-share factor, and the part of the machine that the job takes.
    static constexpr std::size_t share = 1, size = 2;

    explicit FairShare(double half_life) : History({4, 2}), half_life_(half_life), decay_(std::log(2.0) / half_life) {}
    auto arguments() const { return std::tie(half_life_); }

    // All users that have submitted a job have equal shares.
    void update(std::span<const Event> events, HistoryState& state, const JobTable& jobs, Table<double> past, std::int64_t now) const override {
        const std::span<double> machine = state.machine();
        for (const Event& event : events) {
            const std::span<double> row = state.row(std::size_t(event.user));
            if (event.kind == Event::submitted) {
                machine[users] += 1.0 - row[seen];
                row[seen] = 1.0;
                continue;
            }
            bring_up_to(row, event.time);
            row[running] += event.kind == Event::started ? double(event.procs) : -double(event.procs);
        }
        double total = 0.0;
        for (std::size_t user = 0; user + 1 < state.rows(); ++user) {
            bring_up_to(state.row(user), now);
            total += state.row(user)[used];
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const double own = state.row(std::size_t(past(i, 0)))[used];
            const double of_all = total > 0.0 ? own / total : 0.0;
            past(i, share) = std::exp2(-of_all / (1.0 / machine[users]));  // 2^(−U / S)
            past(i, size) = double(jobs.procs[i]) / machine[processors];
        }
    }

  private:
    // Columns of the state: decayed use (processor-seconds), processors in use now, until when that is reckoned (s),
    // whether the user has submitted a job; and of the machine: its processors, and the users seen.
    static constexpr std::size_t used = 0, running = 1, since = 2, seen = 3;
    static constexpr std::size_t processors = 0, users = 1;
    double half_life_, decay_;

    // In the meantime use decays, and jobs run: U′ = P − decay · U.
    void bring_up_to(std::span<double> row, std::int64_t now) const {
        const double left = std::exp(-decay_ * (double(now) - row[since]));
        row[used] = row[used] * left + row[running] * (1.0 - left) / decay_;
        row[since] = double(now);
    }
};

// The fair-share factor of a job's user, 0 … 1; 1, as of one who used nothing, if no history is kept.
inline double fair_share(const JobTable& jobs, std::size_t i) {
    return jobs.past.columns == FairShare::size + 1 ? jobs.past(i, FairShare::share) : 1.0;
}

}  // namespace planbatch
