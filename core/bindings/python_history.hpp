// A user's history in plain Python.
#pragma once
#include "../user_history/history.hpp"
#include "python_calls.hpp"

namespace planbatch {

// The events as Python sees them, a row per event.
inline IntArray table_of(std::span<const Event> news) {
    const auto* first = reinterpret_cast<const std::int64_t*>(news.data());
    return hand_over(std::vector<std::int64_t>(first, first + news.size() * event_fields), {news.size(), event_fields});
}

// A writable numpy array of one's own, with these numbers.
inline FloatArray numbers_out(const double* data, std::size_t rows, std::size_t columns) {
    return array_of<double>(std::vector<double>(data, data + rows * columns), {rows, columns});
}
// Takes over what Python has written there.
inline void numbers_in(nb::handle array, double* data, std::size_t entries) {
    const auto written = nb::cast<Floats>(array);
    std::copy_n(written.data(), entries, data);
}

// follow(news, memory, jobs, now) gets copies of the memory and of the jobs' columns, which are taken back.
class PythonHistory : public History {
  public:
    PythonHistory(nb::object follow, std::size_t width, std::size_t columns, std::size_t kept, std::size_t shared)
        : History({width, columns, kept, shared}), function_(std::move(follow)) {
        if (width < 1) throw std::invalid_argument("width: 0 is no positive number of columns");
    }
    const nb::object& function() const { return function_; }
    std::vector<nb::object*> held() { return {&function_}; }
    void follow(std::span<const Event> news, Memory& memory, const JobTable& jobs, Table<double> past, std::int64_t now) const override {
        const nb::gil_scoped_acquire gil;
        const nb::object numbers = numbers_out(memory.data(), memory.rows(), memory.width());
        const nb::object columns = numbers_out(past.data, past.rows, past.columns);
        function_(table_of(news), numbers, python_jobs(jobs).attr("_replace")("past"_a = columns), now);
        numbers_in(numbers, memory.data(), memory.rows() * memory.width());
        numbers_in(columns, past.data, past.rows * past.columns);
    }

  private:
    nb::object function_;
};

}  // namespace planbatch
