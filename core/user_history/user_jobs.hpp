// What predictors know of a user when she submits a job: her last jobs, and those that run.
//
// It is in the state: a row per user, and a few numbers per job, which chain the running jobs of each user in the order
// of their starts. A chain refers to jobs by their number + 1; 0 is none.
#pragma once
#include <algorithm>
#include <stdexcept>

#include "history.hpp"

namespace planbatch {

class UserJobs {
  public:
    static constexpr std::size_t known_singly = 3;  // so many of a user's last ended jobs are known one by one
    static constexpr double latest_weight = 0.2;    // of the latest quotient in the mean of a user's quotients

    // Columns of a user's row, the first of which is not used.
    enum Own : std::size_t {
        jobs = 1,   // that have ended
        seconds,    // their run times together (s)
        procs,      // their processors together
        last_end,   // when the last one ended (s)
        quotient,   // mean quotient of run time and request, recent jobs weighing more
        submitted,  // when the last three were submitted (s), the latest first
        ran = submitted + known_singly,  // for how long they ran (s)
        running = ran + known_singly,    // jobs that run
        busy,    // processors on which they run
        starts,  // their starts together (s)
        oldest,  // the one that started first
        newest,  // the one that started last
        width,
    };
    // The first numbers that are stored for a job: when it was submitted and started (s), and the running jobs of its user
    // that started before and after it.
    enum Of : std::size_t { submit, start, before, behind, chain };

    // `shared` numbers are stored for all jobs, and `kept` for each, of which `Of` are the first.
    UserJobs(HistoryState& state, std::size_t shared, std::size_t kept)
        : state_(state), shared_(shared), kept_(kept),
          most_jobs_(((state.rows() - 1) * state.width() - shared) / kept) {}

    std::span<double> row(const Event& event) const { return state_.row(std::size_t(event.user)); }
    std::span<double> of_job(std::size_t job) const { return state_.of_job(shared_, kept_, job); }
    std::size_t known(std::span<const double> row) const { return std::size_t(std::min(row[jobs], double(known_singly))); }
    // When the oldest of a user's running jobs started (s); 0 if none runs.
    double oldest_start(std::span<const double> row) const { return row[running] != 0.0 ? number(row[oldest], start) : 0.0; }

    // Appends a job that starts to the running jobs of its user.
    void note_start(const Event& event) const {
        const std::span<double> row = this->row(event), own = of_job(std::size_t(event.job));
        const double newest_before = row[newest], mine = double(event.job + 1);
        own[start] = double(event.time), own[before] = newest_before, own[behind] = 0.0;
        (newest_before != 0.0 ? number(newest_before, behind) : row[oldest]) = mine;
        row[newest] = mine;
        row[running] += 1.0;
        row[busy] += double(event.procs);
        row[starts] += double(event.time);
    }
    // Takes a job that ends out of the running jobs of its user, and into her past.
    void note_end(const Event& event) const {
        const std::span<double> row = this->row(event), own = of_job(std::size_t(event.job));
        (own[before] != 0.0 ? number(own[before], behind) : row[oldest]) = own[behind];
        (own[behind] != 0.0 ? number(own[behind], before) : row[newest]) = own[before];
        row[running] -= 1.0;
        row[busy] -= double(event.procs);
        row[starts] -= own[start];
        for (std::size_t place = known_singly - 1; place > 0; --place) {
            row[submitted + place] = row[submitted + place - 1];
            row[ran + place] = row[ran + place - 1];
        }
        row[submitted] = own[submit];
        row[ran] = double(event.runtime);
        const double latest = double(event.runtime) / double(event.walltime);
        row[quotient] += (row[jobs] != 0.0 ? latest_weight : 1.0) * (latest - row[quotient]);
        row[jobs] += 1.0;
        row[seconds] += double(event.runtime);
        row[procs] += double(event.procs);
        row[last_end] = double(event.time);
    }

  private:
    HistoryState& state_;
    std::size_t shared_, kept_, most_jobs_;

    // A number of the job that a chain refers to. Python can write the state, so that this may be any.
    double& number(double reference, Of which) const {
        if (!(reference >= 1.0 && reference <= double(most_jobs_))) throw std::out_of_range("state: refers to a job that is not there");
        return of_job(std::size_t(reference) - 1)[which];
    }
};

// The seconds since the last multiple of a period, before 1970, too.
inline std::int64_t seconds_into(std::int64_t period, std::int64_t time) { return (time % period + period) % period; }

}  // namespace planbatch
