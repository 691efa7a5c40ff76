// What is free of the resources of a machine whose jobs only end: a rising staircase from the last start on, which is a
// round of its own. With windows, see PlacedProfile.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "../numbers.hpp"

namespace planbatch {

// `alone`: of processors alone, which is faster.
template <bool alone>
class RisingProfile {
  public:
    static constexpr bool rises = true;

    RisingProfile() = default;
    // `free` has a row of amounts from each of the ascending `times` on (s after now); throws unless they rise.
    RisingProfile(Column times, Table<const std::int64_t> free) : width_(free.columns), steps_(free.rows * (1 + free.columns)) {
        if (alone && free.columns != 1) throw std::invalid_argument("profile: of several resources");
        for (std::size_t i = 0; i < times.size(); ++i) {
            for (std::size_t k = 0; i > 0 && k < width(); ++k)
                if (free(i, k) < free(i - 1, k)) throw std::invalid_argument("profile: does not rise");
            append(times[i], free.row(i).data(), nullptr);
        }
    }
    std::int64_t begin() const { return steps_[0]; }

    // The earliest start of a job, which the whole machine can run.
    std::int64_t earliest(Column demand, std::int64_t) const {
        std::size_t i = 0;
        while (!has_room(i, demand)) ++i;
        return time(i);
    }

    // Becomes another profile from `start` on, less a job that starts then.
    void start_job(const RisingProfile& before, std::int64_t start, Column demand, std::int64_t walltime) {
        width_ = before.width_;
        const std::size_t size = before.size_;
        const std::int64_t end = start + walltime;
        steps_.resize((size + 2) * stride());
        size_ = 0;
        std::size_t i = 0;
        while (i + 1 < size && before.time(i + 1) <= start) ++i;
        append(start, before.free(i), demand.data());
        for (++i; i < size && before.time(i) < end; ++i) append(before.time(i), before.free(i), demand.data());
        if (i == size || before.time(i) > end) append(end, before.free(i - 1), nullptr);
        std::copy(before.steps_.begin() + std::ptrdiff_t(i * stride()), before.steps_.end(), steps_.begin() + std::ptrdiff_t(size_ * stride()));
        size_ += size - i;
        steps_.resize(size_ * stride());
    }

    // Whether at least as much is free as in another profile at every moment from that one's beginning on.
    bool covers(const RisingProfile& other) const {
        std::size_t i = 0;
        for (std::size_t at = 0; at < other.size_; ++at) {
            while (i + 1 < size_ && time(i + 1) <= other.time(at)) ++i;
            if (!has_room(i, {other.free(at), width()})) return false;
        }
        return true;
    }

    // The moments at which the machine, without a pause, has done work of given areas (processors · s), one after the
    // other.
    class Worker {
      public:
        explicit Worker(const RisingProfile& profile) : profile_(profile), moment_(double(profile.begin())) {}
        double finish(double area) {
            while (i_ + 1 < profile_.size_) {
                const double step = double(profile_.free(i_)[0]) * (double(profile_.time(i_ + 1)) - moment_);
                if (step >= area) break;
                area -= step;
                ++i_;
                moment_ = double(profile_.time(i_));
            }
            return moment_ += area / double(profile_.free(i_)[0]);
        }

      private:
        const RisingProfile& profile_;
        std::size_t i_ = 0;
        double moment_;
    };

  private:
    std::size_t width_ = 1, size_ = 0;  // resources, and steps
    std::vector<std::int64_t> steps_;   // the time of each, and what is free from then on

    std::size_t width() const { return alone ? 1 : width_; }
    std::size_t stride() const { return 1 + width(); }
    std::int64_t time(std::size_t i) const { return steps_[i * stride()]; }
    const std::int64_t* free(std::size_t i) const { return &steps_[i * stride() + 1]; }

    bool has_room(std::size_t i, Column demand) const {
        for (std::size_t k = 0; k < width(); ++k)
            if (free(i)[k] < demand[k]) return false;
        return true;
    }
    void append(std::int64_t time, const std::int64_t* free, const std::int64_t* taken) {
        std::int64_t* step = &steps_[size_++ * stride()];
        step[0] = time;
        for (std::size_t k = 0; k < width(); ++k) step[1 + k] = taken ? free[k] - taken[k] : free[k];
    }
};

}  // namespace planbatch
