// The event loop of a replay, which can be stepped: advance() to the next round, then commit() a plan.
//
// At one instant, all completions come first, then all submissions, then changes of the machine (windows that begin,
// end or become known). Every instant at which a job waits is a round.
#pragma once
#include <optional>

#include "../interrupt.hpp"
#include "../policies/policy.hpp"
#include "../user_history/history.hpp"
#include "prediction.hpp"
#include "promise_guard.hpp"
#include "running_jobs.hpp"
#include "waiting_jobs.hpp"

namespace planbatch {

enum class Status { round_due, carried_out, paused, lesson_due, finished, stuck, bad_start, over_capacity };

// What is logged of a round.
struct RoundEntry {
    std::int64_t time, waiting, running, started;
};

// What a replay knows besides the jobs.
struct Knowledge {
    const History* history = nullptr;  // of the users, if orders, objectives or predictions ask for one
    bool keeps_jobs = false;           // whether rounds have a job history
    std::size_t users = 0;             // different users
    std::size_t prediction = 0;        // the column of `past` with predicted run times; 0 if none are predicted
    Corrector corrector = Corrector::at_start;
    bool guards_promises = false;      // whether promises are kept by requests, whatever is predicted
};

class Simulation {
  public:
    Simulation(const Workload& workload, const Knowledge& knowledge)
        : workload_(workload), knows_(knowledge),
          waiting_(workload, knowledge.history ? 1 + knowledge.history->shape().columns : 0, knowledge.prediction > 0),
          running_(workload.width()), free_(workload.capacities.begin(), workload.capacities.end()),
          start_(workload.size(), never), first_planned_(workload.size(), never), last_planned_(workload.size(), never) {
        log_.reserve(2 * workload.size());
        if (!workload.slack.empty()) latest_.assign(workload.size(), never);
        if (knowledge.prediction) {
            predicted_.assign(workload.size(), never);
            occupied_.assign(workload.occupied.begin(), workload.occupied.end());
        }
        for (const Column moments : {workload.window_known, workload.windows.start, workload.windows.end})
            changes_.insert(changes_.end(), moments.begin(), moments.end());
        std::sort(changes_.begin(), changes_.end());
        if (knows_.history) {
            const History::Shape& shape = knows_.history->shape();
            history_state_.emplace(shape.rows(knows_.users, workload.size()), shape.width, workload.capacities[0]);
            if (knows_.keeps_jobs) {
                job_rows_.resize(workload.size() * job_row_size());
                job_past_.resize(workload.size() * past_columns());
            }
        }
        if (knows_.guards_promises) guaranteed_.assign(workload.size(), never);
    }

    // Moves to the next round; says if there is none.
    Status advance() {
        for (;;) {
            const std::int64_t now = next_instant();
            if (now == never) return started_ < workload_.size() ? Status::stuck : Status::finished;
            now_ = now, ended_early_ = false;
            if (due_ == now) due_ = never;
            while (running_.next_end() == now) release();
            while (submitted_ < workload_.size() && workload_.submit[submitted_] == now) submit();
            while (change_ < changes_.size() && changes_[change_] <= now) ++change_;
            while (known_ < workload_.window_known.size() && workload_.window_known[known_] <= now) ++known_;
            if (waiting_.size()) {
                learn_what_happened();
                return Status::round_due;
            }
        }
    }

    Round round() const {
        const auto known = [this](Column column, std::size_t width) { return column.first(known_ * width); };
        const Windows& windows = workload_.windows;
        return {now_, workload_.capacities, free_, running_.table(), waiting_.table(), waiting_.planned(), waiting_.occupied(),
                {known(windows.start, 1), known(windows.end, 1), known(windows.amounts, workload_.width())}, ended_early_, job_history()};
    }
    // What the policy stored per waiting job in the round before, and may store now.
    std::span<std::int64_t> policy_state() { return waiting_.policy_state(); }
    Column waiting_jobs() const { return waiting_.jobs(); }

    // Starts the jobs planned for now and stores the other starts. `starting`: the jobs that have a start, ascending, if
    // all of them start now and the policy lists them.
    Status commit(std::span<std::int64_t> plan, const Report& report, const std::vector<std::size_t>* starting = nullptr) {
        if (knows_.guards_promises) guard(plan);
        log_.push_back({now_, std::int64_t(plan.size()), std::int64_t(running_.size()), 0});
        if (report.evaluations > 0 || !std::isnan(report.cost)) {
            reports_.resize(log_.size() - 1);
            reports_.push_back(report);
        }
        due_ = never;
        places_.clear();
        Status status = Status::carried_out;
        if (starting && !knows_.guards_promises) {
            for (const std::size_t i : *starting)
                if (status == Status::carried_out) status = carry_out(i, plan[i]);
        } else {
            for (std::size_t i = next_planned(plan, 0); i < plan.size() && status == Status::carried_out; i = next_planned(plan, i + 1))
                status = carry_out(i, plan[i]);
        }
        if (status != Status::carried_out) return status;
        if (due_ != never || plans_ahead_) waiting_.store_plan(plan);
        plans_ahead_ = due_ != never;
        if (!places_.empty()) waiting_.remove(places_);
        log_.back().started = std::int64_t(places_.size());
        return Status::carried_out;
    }

    // Runs rounds until the replay is over, a lesson is due, there were so many rounds in all, or so much time has passed.
    Status run(Policy& policy, std::chrono::steady_clock::duration time, std::size_t rounds_in_all) {
        const auto end = std::chrono::steady_clock::now() + time;
        plan_.clear();
        for (std::size_t rounds = 1;; ++rounds) {
            if (lesson_is_due()) return Status::lesson_due;
            if (log_.size() >= rounds_in_all) return Status::paused;
            if (const Status status = advance(); status != Status::round_due) return status;
            plan_.resize(waiting_.size(), never);
            const Report report = policy.decide(round(), {plan_, policy_state()});
            const std::vector<std::size_t>* starting = policy.starting();
            if (const Status status = commit(plan_, report, starting); status != Status::carried_out) return status;
            if (!starting || knows_.guards_promises) plan_.clear();
            else for (const std::size_t i : *starting) plan_[i] = never;
            Interrupt::poll();
            if (rounds % 16 == 0 && std::chrono::steady_clock::now() >= end) return Status::paused;
        }
    }

    // A history may learn now and then: not before `when`, and not before so many jobs have started.
    void schedule_lesson(std::int64_t when, std::size_t started) { lesson_ = when, enough_ = started; }
    bool lesson_is_due() const { return now_ >= lesson_ && started_ >= enough_; }
    std::span<const Event> event_log() const { return event_log_; }
    HistoryState* history_state() { return history_state_ ? &*history_state_ : nullptr; }

    std::int64_t now() const { return now_; }
    std::size_t started() const { return started_; }
    std::size_t events() const { return submitted_ + 2 * started_ - running_.size() + change_; }
    const std::vector<std::int64_t>& start() const { return start_; }
    const std::vector<std::int64_t>& first_planned() const { return first_planned_; }
    // The start of each job in the plan of the round before the one that started it; its start if it had none.
    const std::vector<std::int64_t>& last_planned() const { return last_planned_; }
    // Empty if nothing is promised, or predicted.
    const std::vector<std::int64_t>& latest() const { return latest_; }
    const std::vector<std::int64_t>& predicted() const { return predicted_; }
    const std::vector<RoundEntry>& log() const { return log_; }
    // What the policy reported of a round.
    Report report(std::size_t round) const { return round < reports_.size() ? reports_[round] : Report{}; }

  private:
    Workload workload_;
    Knowledge knows_;
    WaitingJobs waiting_;
    RunningJobs running_;
    std::vector<std::int64_t> free_;  // of every resource; windows are not counted
    std::vector<std::int64_t> start_, first_planned_, last_planned_, latest_;
    std::vector<std::int64_t> predicted_, occupied_;  // predicted run time at the start; expected run time since
    std::vector<std::int64_t> guaranteed_;            // the start of each waiting job in the plan that keeps promises by requests
    std::vector<std::int64_t> plan_, changes_;
    std::vector<std::size_t> places_;
    std::int64_t now_ = 0, due_ = never, lesson_ = never;
    std::size_t submitted_ = 0, started_ = 0, change_ = 0, known_ = 0, enough_ = 0;
    bool ended_early_ = false, plans_ahead_ = false;
    std::vector<RoundEntry> log_;
    std::vector<Report> reports_;  // up to the last round of which a policy reported anything
    std::optional<HistoryState> history_state_;
    std::vector<Event> event_log_;
    std::size_t seen_events_ = 0, seen_jobs_ = 0;  // by the history
    std::vector<std::int64_t> job_rows_;
    std::vector<double> job_past_;

    // The first job from `i` on that has a start, or the number of jobs. Where ten thousand wait, few have one.
    static std::size_t next_planned(Column plan, std::size_t i) {
        constexpr std::size_t block = 64;
        if (i < plan.size() && plan[i] != never) return i;
        for (; i + block <= plan.size(); i += block) {
            std::int64_t found = 0;
            for (const std::int64_t start : plan.subspan(i, block)) found |= start ^ never;
            if (found) break;
        }
        while (i < plan.size() && plan[i] == never) ++i;
        return i;
    }
    std::int64_t next_instant() const {
        std::int64_t now = std::min(due_, running_.next_end());
        if (submitted_ < workload_.size()) now = std::min(now, workload_.submit[submitted_]);
        if (started_ < workload_.size() && change_ < changes_.size()) now = std::min(now, changes_[change_]);
        return now;
    }

    Status carry_out(std::size_t i, std::int64_t planned) {
        if (planned < now_) return Status::bad_start;
        if (waiting_.planned()[i] == never) note_first_plan(i, planned);
        if (planned > now_) {
            due_ = std::min(due_, planned);
            return Status::carried_out;
        }
        if (!fits(i)) return Status::over_capacity;
        start(i);
        places_.push_back(i);
        return Status::carried_out;
    }
    std::int64_t occupied(std::size_t job) const { return occupied_.empty() ? workload_.occupied[job] : occupied_[job]; }
    void submit() {
        const std::size_t job = submitted_++;
        waiting_.append(workload_, job);
        note_event(Event::submitted, job);
        if (!knows_.keeps_jobs) return;
        const std::int64_t entries[] = {workload_.submit[job], workload_.procs[job], workload_.walltime[job],
                                        workload_.user[job], never, JobHistory::unknown};
        const auto row = job_rows_.begin() + std::ptrdiff_t(job * job_row_size());
        std::copy(std::begin(entries), std::end(entries), row);
        std::copy_n(workload_.amounts_of(job).data() + 1, workload_.width() - 1, row + JobHistory::entries);
    }
    void start(std::size_t i) {
        const std::size_t job = waiting_.job(i);
        start_[job] = now_;
        last_planned_[job] = waiting_.planned()[i] == never ? now_ : waiting_.planned()[i];
        if (knows_.prediction) predicted_[job] = waiting_.predicted(i), occupied_[job] = waiting_.occupied(i);
        if (knows_.keeps_jobs) {
            note_past(i);
            job_entry(job, JobHistory::start) = now_;
        }
        running_.add(job, now_ + occupied(job), now_ + workload_.runtime[job], workload_.amounts_of(job));
        take(free_.data(), workload_.amounts_of(job));
        ++started_;
        note_event(Event::started, job);
    }
    void release() {
        const std::size_t job = running_.next_job();
        ended_early_ |= workload_.runtime[job] < occupied(job);
        running_.remove_next(start_[job] + occupied(job));
        give(free_.data(), workload_.amounts_of(job));
        if (knows_.keeps_jobs) job_entry(job, JobHistory::runtime) = workload_.runtime[job];
        note_event(Event::ended, job);
    }
    // Windows may take more than is free; a job that needs nothing of that resource fits nevertheless.
    bool fits(std::size_t i) const {
        const Column demand = workload_.amounts_of(waiting_.job(i));
        for (std::size_t k = 0; k < free_.size(); ++k)
            if (demand[k] > 0 && demand[k] > free_[k] - withdrawn(k)) return false;
        return true;
    }
    std::int64_t withdrawn(std::size_t resource) const {
        const Windows& windows = workload_.windows;
        std::int64_t total = 0;
        for (std::size_t w = 0; w < known_; ++w)
            if (windows.start[w] <= now_ && now_ < windows.end[w]) total += windows.amounts[w * workload_.width() + resource];
        return total;
    }

    // Stores the first planned start of a job, and promises it a start: by requests, if those are not what counts.
    void note_first_plan(std::size_t i, std::int64_t planned) {
        const std::size_t job = waiting_.job(i);
        if (first_planned_[job] == never) first_planned_[job] = planned;
        if (workload_.slack.empty() || waiting_.latest(i) != never || workload_.slack[job] == never) return;
        if (knows_.guards_promises) planned = guaranteed_[job];
        waiting_.latest(i) = latest_[job] = std::max(planned + workload_.slack[job], workload_.floor[job]);
    }
    // Mends the plan if it could break a promise.
    void guard(std::span<std::int64_t> plan) {
        std::vector<std::int64_t> before, after(plan.size()), ends, amounts;
        for (std::size_t i = 0; i < plan.size(); ++i) before.push_back(guaranteed_[waiting_.job(i)]);
        Round requested = round();
        requested.jobs = waiting_.by_request();
        requested.planned = before;
        requested.running = running_by_request(ends, amounts);
        with_width(workload_.width(), [&](auto k) { PromiseGuard<k()>().guard(requested, plan, after); });
        for (std::size_t i = 0; i < plan.size(); ++i) guaranteed_[waiting_.job(i)] = after[i];
    }
    RunningTable running_by_request(std::vector<std::int64_t>& ends, std::vector<std::int64_t>& amounts) const {
        std::vector<std::pair<std::int64_t, std::size_t>> jobs;
        for (const std::int64_t job : running_.jobs()) jobs.emplace_back(start_[std::size_t(job)] + workload_.walltime[std::size_t(job)], job);
        std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [end, job] : jobs) {
            ends.push_back(end);
            const Column row = workload_.amounts_of(job);
            amounts.insert(amounts.end(), row.begin(), row.end());
        }
        return {ends, amounts};
    }

    std::size_t past_columns() const { return 1 + knows_.history->shape().columns; }
    std::size_t job_row_size() const { return JobHistory::entries + workload_.width() - 1; }
    std::int64_t& job_entry(std::size_t job, std::size_t entry) { return job_rows_[job * job_row_size() + entry]; }
    JobHistory job_history() const {
        if (!knows_.keeps_jobs) return {};
        return {{job_rows_.data(), submitted_, job_row_size()}, {job_past_.data(), submitted_, past_columns()}, running_.jobs()};
    }
    void note_event(Event::Kind kind, std::size_t job) {
        if (!knows_.history) return;
        event_log_.push_back({kind, now_, std::int64_t(job), workload_.user_row[job], workload_.procs[job], workload_.walltime[job],
                         kind == Event::ended ? workload_.runtime[job] : 0});
    }
    void note_past(std::size_t i) {
        const auto row = waiting_.past().row(i);
        std::copy(row.begin(), row.end(), job_past_.begin() + std::ptrdiff_t(waiting_.job(i) * past_columns()));
    }
    // Has the history take in the events since the last round, and reckons with what it predicts.
    void learn_what_happened() {
        if (!knows_.history) return;
        knows_.history->update(std::span<const Event>(event_log_).subspan(seen_events_), *history_state_, waiting_.by_request(), waiting_.past(), now_);
        seen_events_ = event_log_.size();
        if (knows_.keeps_jobs) {
            for (std::size_t i = waiting_.size(); i > 0 && waiting_.job(i - 1) >= seen_jobs_; --i) note_past(i - 1);
            seen_jobs_ = submitted_;
        }
        if (knows_.prediction) predict();
    }
    // Predictions are whole seconds, at least one and at most the request.
    void predict() {
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            std::int64_t seconds = waiting_.walltime(i);
            const double predicted = waiting_.past()(i, knows_.prediction);
            if (predicted < double(seconds)) seconds = std::int64_t(std::max(predicted, 1.0));  // not if it is NaN
            waiting_.predict(i, seconds, knows_.corrector != Corrector::at_start);
        }
        while (running_.size() && running_.table().end[0] <= now_) {
            const auto job = std::size_t(running_.jobs()[0]);
            occupied_[job] = corrected(knows_.corrector, predicted_[job], now_ - start_[job], workload_.walltime[job]);
            running_.postpone_first(start_[job] + occupied_[job]);
        }
    }
};

}  // namespace planbatch
