// Python's JobTable as the core sees it, for calls of objectives and orders from Python.
#pragma once
#include "arrays.hpp"

namespace planbatch {

class JobColumns {
  public:
    explicit JobColumns(nb::handle jobs) {
        static const char* const names[] = {"submit", "procs", "walltime", "deadline", "latest", "user"};
        for (std::size_t c = 0; c < 6; ++c) {
            columns_[c] = ints_of(jobs.attr(names[c]), names[c]);
            if (columns_[c].size() != columns_[0].size()) throw std::invalid_argument(std::string("jobs.") + names[c] + ": another number of jobs");
        }
        const nb::object past = jobs.attr("past");
        if (past.is_none()) return;
        past_ = floats_of(past);
        if (past_.ndim() != 2 || past_.shape(0) != size()) throw std::invalid_argument("jobs.past: another number of jobs");
        past_columns_ = past_.shape(1);
    }
    std::size_t size() const { return columns_[0].size(); }
    // Without demands on resources besides processors.
    JobTable view() const {
        const Column procs = column(columns_[1]);
        return {column(columns_[0]), procs, column(columns_[2]), column(columns_[3]), column(columns_[4]), column(columns_[5]), procs,
                {past_columns_ ? past_.data() : nullptr, size(), past_columns_}};
    }

  private:
    Ints columns_[6];
    Floats past_;
    std::size_t past_columns_ = 0;
};

}  // namespace planbatch
