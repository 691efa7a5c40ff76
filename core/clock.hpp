// The time that a round has. It only ends a search, and never decides where one goes.
#pragma once
#include <chrono>

#include "numbers.hpp"

namespace planbatch {

class Clock {
  public:
    // Runs from now on; the seconds may be infinite.
    explicit Clock(double seconds) : began_(std::chrono::steady_clock::now()), seconds_(seconds) {}

    double seconds() const { return seconds_; }
    double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
    double remaining() const { return seconds_ == infinity ? infinity : seconds_ - elapsed(); }

  private:
    std::chrono::steady_clock::time_point began_;
    double seconds_;
};

}  // namespace planbatch
