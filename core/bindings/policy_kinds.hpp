// How policies are bound that are made from an order and a few parameters.
#pragma once
#include "../orders/order.hpp"
#include "../policies/policy.hpp"
#include "arrays.hpp"

namespace planbatch {

// A policy whose first parameter is the order of the queue. Its `check`, if it has one, throws at others that are out of
// their range.
template <template <std::size_t> class Made, class... Parameters>
void bind_ordered(nb::module_& m, const char* name, const char* about, std::same_as<const char*> auto... parameters) {
    using Kind = PolicyOf<Made, std::shared_ptr<const QueueOrder>, Parameters...>;
    auto cls = nb::class_<Kind, PolicyKind>(m, name, sharing<Kind>([](const Kind& kind, auto visit) { visit(std::get<0>(kind.parameters())); }), about)
        .def("__init__", [](Kind* self, std::shared_ptr<QueueOrder> order, Parameters... values) {
            if constexpr (requires { Made<1>::check(values...); }) Made<1>::check(values...);
            new (self) Kind(std::move(order), values...);
        }, "order"_a, nb::arg(parameters)...);
    by_arguments(cls, [](const Kind& kind) {
        return std::apply([](const auto& order, const auto&... values) {
            return nb::make_tuple(std::const_pointer_cast<QueueOrder>(order), values...);
        }, kind.parameters());
    });
}

}  // namespace planbatch
