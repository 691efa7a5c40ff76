// What orders, objectives and predictors may know of the past: columns that a replay keeps up to date for the waiting
// jobs, computed from what has happened so far and nothing else.
#pragma once
#include <memory>
#include <vector>

#include "../round.hpp"

namespace planbatch {

// What happened to a job. Python sees a table of these as int64, a row per event.
struct Event {
    enum Kind : std::int64_t { submitted, started, ended };
    std::int64_t kind;
    std::int64_t time;      // s
    std::int64_t job;       // in the order of submissions
    std::int64_t user;      // the row of its user in the state
    std::int64_t procs;
    std::int64_t walltime;  // s
    std::int64_t runtime;   // s, once it has ended; otherwise 0
};
inline constexpr std::size_t event_fields = sizeof(Event) / sizeof(std::int64_t);

// The numbers that a history keeps: first a row per user, last one for the whole machine, which begins with its number
// of processors; between them, from the end, what is kept for all, and what is kept for each job.
class HistoryState {
  public:
    HistoryState(std::size_t rows, std::size_t width, std::int64_t capacity) : width_(width), numbers_(rows * width, 0.0) {
        if (!numbers_.empty()) machine()[0] = double(capacity);
    }
    std::size_t rows() const { return numbers_.size() / width_; }
    std::size_t width() const { return width_; }
    Table<double> table() { return {numbers_.data(), rows(), width_}; }
    std::span<double> row(std::size_t i) { return {numbers_.data() + i * width_, width_}; }
    std::span<double> machine() { return row(rows() - 1); }
    std::span<double> shared(std::size_t count) { return {numbers_.data() + (rows() - 1) * width_ - count, count}; }
    std::span<double> of_job(std::size_t shared, std::size_t kept, std::size_t job) {
        return {numbers_.data() + (rows() - 1) * width_ - shared - (job + 1) * kept, kept};
    }

  private:
    std::size_t width_;
    std::vector<double> numbers_;
};

// A kind of history. It holds parameters only; the replay holds its state.
class History {
  public:
    // The shape of the state, and the columns of `past` behind the first, which is the row of the job's user.
    struct Shape {
        std::size_t width = 1, columns = 0, kept = 0, shared = 0;

        std::size_t rows(std::size_t users, std::size_t jobs) const {
            return users + 1 + (shared + jobs * kept + width - 1) / width;
        }
    };

    explicit History(const Shape& shape) : shape_(shape) {}
    virtual ~History() = default;
    const Shape& shape() const { return shape_; }
    // Takes in what happened since the last round, and writes the columns of the waiting jobs. Those are NaN when a job
    // is submitted, and travel with it: what is written once may stay.
    virtual void update(std::span<const Event> events, HistoryState& state, const JobTable& jobs, Table<double> past, std::int64_t now) const = 0;

  private:
    Shape shape_;
};

}  // namespace planbatch
