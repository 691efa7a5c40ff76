// What placed jobs leave of a machine with windows, from the last start on.
#pragma once
#include "../profile.hpp"

namespace planbatch {

class PlacedProfile {
  public:
    static constexpr bool rises = false;

    PlacedProfile() = default;
    // `free` has a row of amounts from each of the ascending `times` on (s after now).
    PlacedProfile(Column times, Table<const std::int64_t> free) {
        const std::vector<std::int64_t> nothing(free.columns, 0);
        profile_.clear(free.columns, free.rows);
        for (std::size_t i = 0; i < free.rows; ++i) profile_.append_row(times[i], free.row(i).data(), nothing.data());
        profile_.close();
    }

    // The earliest start of a job, which the whole machine can run, and which does not start before the last one.
    std::int64_t earliest(Column demand, std::int64_t walltime) const {
        return profile_.time(profile_.earliest_slot(demand, walltime, last_).first);
    }

    // Becomes another profile, less a job that starts at a time found by `earliest`.
    void start_job(const PlacedProfile& before, std::int64_t start, Column demand, std::int64_t walltime) {
        profile_.copy_from(before.profile_, 1);
        last_ = profile_.index_at(start);
        profile_.place_at(last_, demand, walltime);
    }

  private:
    Profile<std::dynamic_extent> profile_;
    std::size_t last_ = 0;  // the breakpoint of the last start; later ones are inserted behind it
};

}  // namespace planbatch
