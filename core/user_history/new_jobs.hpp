// The waiting jobs that were submitted since the last round: those without a prediction, behind the others.
#pragma once
#include <cmath>

#include "../numbers.hpp"

namespace planbatch {

class NewJobs {
  public:
    // `prediction` is the column of `past` that is NaN until a job is predicted.
    NewJobs(Table<double> past, std::size_t prediction) : past_(past), prediction_(prediction) {}
    // Predicts the next one, in the order of the submissions.
    void predict(double seconds) {
        while (next_ < past_.rows && !std::isnan(past_(next_, prediction_))) ++next_;
        if (next_ < past_.rows) past_(next_, prediction_) = seconds;
    }

  private:
    Table<double> past_;
    std::size_t prediction_, next_ = 0;
};

}  // namespace planbatch
