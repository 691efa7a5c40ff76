// Arrays of whole numbers from Python.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace planbatch {

// Whole numbers of any width; an array of other numbers is refused, not cut.
class Ints : public nanobind::ndarray<const std::int64_t, nanobind::c_contig, nanobind::device::cpu> {
  public:
    using Array = nanobind::ndarray<const std::int64_t, nanobind::c_contig, nanobind::device::cpu>;
    Ints() = default;
    explicit Ints(Array array) : Array(std::move(array)) {}
};

}  // namespace planbatch

namespace nanobind::detail {

template <>
struct type_caster<planbatch::Ints> {
    using Array = planbatch::Ints::Array;
    NB_TYPE_CASTER(planbatch::Ints, make_caster<Array>::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        make_caster<Array> array;
        const bool found = array.from_python(source, 0, cleanup) || (has_whole_numbers(source, cleanup) && array.from_python(source, flags, cleanup));
        if (found) value = planbatch::Ints(std::move(array.value));
        return found;
    }

  private:
    static bool has_whole_numbers(handle source, cleanup_list* cleanup) noexcept {
        make_caster<ndarray<ro, device::cpu>> array;
        if (!array.from_python(source, 0, cleanup)) return false;
        const dlpack::dtype type = array.value.dtype();
        switch (dlpack::dtype_code(type.code)) {
            case dlpack::dtype_code::Int:
            case dlpack::dtype_code::Bool: return true;
            case dlpack::dtype_code::UInt: return type.bits < 64;
            default: return array.value.size() == 0;
        }
    }
};

}  // namespace nanobind::detail
