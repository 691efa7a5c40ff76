// How policies are bound that are made from an order and a few parameters.
#pragma once
#include "../orders/order.hpp"
#include "../policies/policy.hpp"
#include "arrays.hpp"

namespace planbatch {

template <template <std::size_t> class Made>
class OrderedKind : public PolicyOf<Made, std::shared_ptr<const QueueOrder>> {
  public:
    explicit OrderedKind(std::shared_ptr<QueueOrder> order) : PolicyOf<Made, std::shared_ptr<const QueueOrder>>(std::move(order)) {}
};
// The slots of a policy whose first parameter is the order of the queue.
template <class Kind>
nb::type_slots sharing_order() {
    return sharing<Kind>([](const Kind& kind, auto visit) { visit(std::get<0>(kind.parameters())); });
}
// A policy whose only parameter is the order of the queue.
template <template <std::size_t> class Made>
void bind_ordered(nb::module_& m, const char* name, const char* about) {
    auto cls = nb::class_<OrderedKind<Made>, PolicyKind>(m, name, sharing_order<OrderedKind<Made>>(), about).def(nb::init<std::shared_ptr<QueueOrder>>(), "order"_a);
    by_arguments(cls, [](const OrderedKind<Made>& p) { return nb::make_tuple(std::const_pointer_cast<QueueOrder>(std::get<0>(p.parameters()))); });
}
// A policy with the order of the queue and one more parameter, which `check` throws at if it is out of its range.
template <template <std::size_t> class Made, class Parameter>
void bind_with(nb::module_& m, const char* name, const char* about, const char* parameter, void (*check)(Parameter)) {
    using Kind = PolicyOf<Made, std::shared_ptr<const QueueOrder>, Parameter>;
    auto cls = nb::class_<Kind, PolicyKind>(m, name, sharing_order<Kind>(), about)
        .def("__init__", [check](Kind* self, std::shared_ptr<QueueOrder> order, Parameter value) {
            check(value);
            new (self) Kind(std::move(order), value);
        }, "order"_a, nb::arg(parameter));
    by_arguments(cls, [](const Kind& p) {
        const auto& [order, value] = p.parameters();
        return nb::make_tuple(std::const_pointer_cast<QueueOrder>(order), value);
    });
}
template <template <std::size_t> class Made>
void bind_plain(nb::module_& m, const char* name, const char* about) {
    auto cls = nb::class_<PolicyOf<Made>, PolicyKind>(m, name, about).def(nb::init<>());
    by_arguments(cls, [](const PolicyOf<Made>&) { return nb::make_tuple(); });
}

}  // namespace planbatch
