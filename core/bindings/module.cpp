// The compiled core of planbatch as a Python module.
#include <chrono>
#include <thread>

#include "bindings.hpp"

#include "../interrupt.hpp"
#include "../objectives/objective.hpp"
#include "../orders/order.hpp"
#include "arrays.hpp"

namespace {

using planbatch::Interrupt;

void check_signals() {
    const nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals()) throw nanobind::python_error();
}

// A thread that computes while the interpreter ends would have no interpreter to come back to.
void end_threads() {
    Interrupt::end_all();
    const nanobind::gil_scoped_release release;
    for (int tries = 0; Interrupt::is_running() && tries < 500; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace

NB_MODULE(_core, m) {
    using namespace planbatch;
    m.doc() = "The compiled core: decoding, searches, bounds, policies and the event loop.";
    m.attr("DIGEST") = PLANBATCH_CORE_DIGEST;
    Interrupt::check_signals = &check_signals;
    // NOLINTBEGIN(bugprone-throw-keyword-missing,bugprone-unused-raii): each adds a class to the module.
    nb::exception<CostNotFinite>(m, "CostNotFinite", PyExc_ValueError);
    nb::exception<BadKeys>(m, "BadKeys", PyExc_ValueError);
    nb::exception<Cancelled>(m, "Cancelled", PyExc_RuntimeError);
    // NOLINTEND(bugprone-throw-keyword-missing,bugprone-unused-raii)
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_threads));
    nb::set_leak_warnings(false);  // objects that a program still holds when it ends are no leak
    m.def("set_leak_warnings", &nb::set_leak_warnings, "warn"_a, "Whether the end of the interpreter reports objects of the core that are still referenced.");
    m.def("cancel_all", &Interrupt::cancel_all, "End what other threads compute at this moment.");
    bind_rounds(m);
    bind_objectives(m);
    bind_orders(m);
    bind_histories(m);
    bind_searches(m);
    bind_policies(m);
    bind_rollouts(m);
    bind_simulation(m);
    bind_environment(m);
    bind_bounds(m);
    bind_branch_and_bound(m);
}
