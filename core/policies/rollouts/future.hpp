// One possible future of a round: what running and waiting jobs take, and which jobs come.
//
// Jobs are numbered: first the m running ones, then those of `jobs`: the n that wait, and those that will come, by
// submit time.
#pragma once
#include "../../orders/ranking.hpp"
#include "../../owned_jobs.hpp"
#include "../../scenarios.hpp"

namespace planbatch {

class Future {
  public:
    // Draws a future in which jobs come for `span` seconds; the order of the queue is as it is now.
    void draw(const Round& round, const JobTable& waiting, const QueueOrder& order, std::int64_t span, Random& rng) {
        take_over(round, waiting, waiting.size());
        const auto [moment, coming] = draw_coming(round, span, rng);
        append_coming(round, moment, coming);
        draw_run_times(round, jobs(), waiting_, coming, rng, run_);
        list_needs(round);
        ranking_.rank(order, jobs(), round.now);
    }
    // Takes a future as it is given, in FCFS order: the round has the jobs that will come behind those that wait.
    void give(const Round& round, std::size_t waiting, Column run) {
        take_over(round, round.jobs, waiting);
        run_.assign(run.begin(), run.end());
        list_needs(round);
        ranking_.rank(SubmitOrder(), jobs(), round.now);
    }

    // Draws which jobs come next: the rows of those submitted within `span` seconds of a moment of the past in which the
    // last jobs came, uniformly (a bootstrap of blocks, which keeps bursts together); and the moment.
    static std::pair<std::int64_t, std::vector<std::int64_t>> draw_coming(const Round& round, std::int64_t span, Random& rng) {
        const auto rows = round.history.rows;
        const std::size_t first = rows.rows > remembered ? rows.rows - remembered : 0;
        const auto submit = [&](std::size_t row) { return rows(row, JobHistory::submit); };
        if (span <= 0 || first == rows.rows || submit(first) >= round.now) return {};
        const std::int64_t past = std::max<std::int64_t>(round.now - submit(first) - span, 1);
        const std::int64_t moment = submit(first) + std::int64_t(rng.draw() * double(past));
        std::vector<std::int64_t> found;
        for (std::size_t row = first; row < rows.rows && submit(row) < moment + span && found.size() < most_coming; ++row)
            if (submit(row) >= moment) found.push_back(std::int64_t(row));
        return {moment, std::move(found)};
    }

    JobTable jobs() const { return jobs_.table(); }
    std::size_t waiting() const { return waiting_; }
    std::size_t running() const { return running_; }
    std::size_t size() const { return run_.size(); }
    std::int64_t run(std::size_t number) const { return run_[number]; }  // of running jobs their end (s), else the run time (s)
    Column needs() const { return needs_; }                              // a row of amounts per job; the last is the least that any of `jobs` needs
    Order order() const { return ranking_.ranked(); }                    // of `jobs`, in the queue

  private:
    // Coming jobs are drawn from among so many that were submitted last, and at most so many.
    static constexpr std::size_t remembered = 3000, most_coming = 500;
    OwnedJobs jobs_;
    std::size_t waiting_ = 0, running_ = 0;
    std::vector<std::size_t> which_;
    std::vector<std::int64_t> run_, needs_, amounts_;
    Ranking ranking_;

    void take_over(const Round& round, const JobTable& jobs, std::size_t waiting) {
        waiting_ = waiting, running_ = round.running.size();
        which_.resize(jobs.size());
        std::iota(which_.begin(), which_.end(), std::size_t{0});
        jobs_.choose(jobs, which_, round.width());
    }
    // They come after this moment.
    void append_coming(const Round& round, std::int64_t moment, Column coming) {
        const JobHistory& history = round.history;
        for (const std::int64_t job : coming) {
            const auto row = history.rows.row(std::size_t(job));
            amounts_.assign(1, row[JobHistory::procs]);
            amounts_.insert(amounts_.end(), row.begin() + JobHistory::entries, row.end());
            jobs_.append(round.now + 1 + row[JobHistory::submit] - moment, row[JobHistory::walltime], row[JobHistory::user], amounts_,
                         history.past.row(std::size_t(job)));
        }
    }
    void list_needs(const Round& round) {
        const JobTable jobs = this->jobs();
        needs_.assign(round.running.amounts.begin(), round.running.amounts.end());
        needs_.insert(needs_.end(), jobs.amounts.begin(), jobs.amounts.end());
        needs_.push_back(*std::min_element(jobs.procs.begin(), jobs.procs.end()));
        needs_.insert(needs_.end(), round.width() - 1, 0);
    }
};

}  // namespace planbatch
