// Predicts a run time as the mean of the user's last two (Tsafrir, Etsion, Feitelson, TPDS 2007).
#pragma once
#include <cmath>

#include "history.hpp"

namespace planbatch {

class LastTwo : public History {
  public:
    static constexpr std::size_t prediction = 1;  // the column of `past` (s); the request until two jobs have ended

    LastTwo() : History({4, 1}) {}

    // A job is predicted once, in the round of its submission.
    void update(std::span<const Event> events, HistoryState& state, const JobTable& jobs, Table<double> past, std::int64_t) const override {
        for (const Event& event : events) {
            if (event.kind != Event::ended) continue;
            const std::span<double> row = state.row(std::size_t(event.user));
            row[ended] += 1.0;
            row[last_but_one] = row[last];
            row[last] = double(event.runtime);
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (!std::isnan(past(i, prediction))) continue;
            const std::span<double> row = state.row(std::size_t(past(i, 0)));
            past(i, prediction) = row[ended] >= 2.0 ? std::floor((row[last] + row[last_but_one]) / 2.0) : double(jobs.walltime[i]);
        }
    }

  private:
    // Columns of the state: how many jobs of the user have ended, and the run times of the last two (s).
    static constexpr std::size_t ended = 1, last = 2, last_but_one = 3;
};

}  // namespace planbatch
