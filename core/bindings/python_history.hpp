// A user's history in plain Python.
#pragma once
#include "../user_history/history.hpp"
#include "python_calls.hpp"

namespace planbatch {

// The events as Python sees them, a row per event.
inline IntArray table_of(std::span<const Event> events) {
    const auto* first = reinterpret_cast<const std::int64_t*>(events.data());
    return hand_over(std::vector<std::int64_t>(first, first + events.size() * event_fields), {events.size(), event_fields});
}

// Takes over what Python has written into a copy of a table.
inline void copy_back(nb::handle array, Table<double> table) {
    std::copy_n(nb::cast<Floats>(array).data(), table.entries().size(), table.data);
}

// update(events, state, jobs, now) gets copies of the state and of the jobs' columns, which are taken back.
class PythonHistory : public History {
  public:
    PythonHistory(nb::object update, std::size_t width, std::size_t columns, std::size_t kept, std::size_t shared)
        : History({width, columns, kept, shared}), function_(std::move(update)) {
        if (width < 1) throw std::invalid_argument("width: 0 is no positive number of columns");
    }
    auto arguments() const { return std::tie(function_, shape().width, shape().columns, shape().kept, shape().shared); }
    std::vector<nb::object*> python_objects() { return {&function_}; }
    void update(std::span<const Event> events, HistoryState& state, const JobTable& jobs, Table<double> past, std::int64_t now) const override {
        const nb::gil_scoped_acquire gil;
        const nb::object numbers = copy_out(state.table()), columns = copy_out(past);
        function_(table_of(events), numbers, python_jobs(jobs).attr("_replace")("past"_a = columns), now);
        copy_back(numbers, state.table());
        copy_back(columns, past);
    }

  private:
    nb::object function_;
};

}  // namespace planbatch
