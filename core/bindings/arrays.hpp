// Arrays between Python and the core.
#pragma once
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <vector>

#include "../interrupt.hpp"
#include "../random.hpp"
#include "../round.hpp"
#include "whole_numbers.hpp"

namespace planbatch {

namespace nb = nanobind;
using namespace nanobind::literals;

using Floats = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

inline Column column(const Ints& array) { return {array.data(), array.size()}; }
inline Reals reals(const Floats& array) { return {array.data(), array.size()}; }
inline std::vector<std::int64_t> copy_of(const Ints& array) { return {array.data(), array.data() + array.size()}; }
inline std::vector<double> copy_of(const Floats& array) { return {array.data(), array.data() + array.size()}; }

// Objects of Python under the names that they have in the stub.
// NOLINTBEGIN(bugprone-macro-parentheses): a name of a class takes none.
#define PLANBATCH_OBJECT(Type, name)                                \
    class Type : public nb::object {                                \
        static bool is_any(PyObject*) { return true; }              \
        NB_OBJECT_DEFAULT(Type, nb::object, name, is_any)           \
    };
// NOLINTEND(bugprone-macro-parentheses)
PLANBATCH_OBJECT(IntArray, "numpy.typing.NDArray[numpy.int64]")
PLANBATCH_OBJECT(FloatArray, "numpy.typing.NDArray[numpy.float64]")
PLANBATCH_OBJECT(SingleArray, "numpy.typing.NDArray[numpy.float32]")
PLANBATCH_OBJECT(BoolArray, "numpy.typing.NDArray[numpy.bool_]")
PLANBATCH_OBJECT(ByteArray, "numpy.typing.NDArray[numpy.uint8]")
PLANBATCH_OBJECT(ArrayLike, "numpy.typing.ArrayLike")
PLANBATCH_OBJECT(Generator, "numpy.random.Generator")
PLANBATCH_OBJECT(Jobs, "planbatch.planner.model.JobTable")
#undef PLANBATCH_OBJECT

template <class Value>
using Array = std::conditional_t<std::is_same_v<Value, double>, FloatArray, std::conditional_t<std::is_same_v<Value, float>, SingleArray,
              std::conditional_t<std::is_same_v<Value, std::uint8_t>, ByteArray, IntArray>>>;
template <class... Entries>
using Tuple = nb::typed<nb::tuple, Entries...>;

// Whatever numpy can make an array of whole numbers of; what is one already is not copied.
inline Ints ints_of(nb::handle values, const char* name) {
    Ints found;
    if (!nb::try_cast(nb::module_::import_("numpy").attr("ascontiguousarray")(values), found))
        throw nb::type_error((std::string(name) + ": no array of whole numbers").c_str());
    return found;
}
// Whatever numpy can make an array of float64 of.
inline Floats floats_of(nb::handle values) {
    return nb::cast<Floats>(nb::module_::import_("numpy").attr("ascontiguousarray")(values, "float64"));
}

// A numpy array that owns entries; nothing is copied. Users may change it unless `Entry` is const.
template <class Entry, class Value = std::remove_const_t<Entry>>
Array<Value> array_of(std::vector<Value>&& entries, const std::vector<std::size_t>& shape) {
    auto owned = std::make_unique<std::vector<Value>>(std::move(entries));
    Value* data = owned->data();
    nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    owned.release();
    nb::object array = nb::cast(nb::ndarray<nb::numpy, Entry>(data, shape.size(), shape.data(), owner));
    // Of the two C types of 64 bits it has the one that numpy does not take for int64.
    if constexpr (std::is_same_v<Value, std::int64_t>) array = array.attr("view")("int64");
    return nb::steal<Array<Value>>(array.release());
}
// A read-only array.
template <class Entry>
Array<Entry> hand_over(std::vector<Entry>&& entries, const std::vector<std::size_t>& shape) {
    return array_of<const Entry>(std::move(entries), shape);
}
template <class Entry>
Array<Entry> hand_over(std::vector<Entry>&& entries) {
    const std::size_t size = entries.size();
    return hand_over(std::move(entries), {size});
}
// Read-only copies.
template <class Entry>
Array<Entry> read_only(std::span<const Entry> entries) {
    return hand_over(std::vector<Entry>(entries.begin(), entries.end()));
}
template <class Entry>
Array<Entry> read_only(Table<const Entry> table) {
    const std::span<const Entry> entries = table.entries();
    return hand_over(std::vector<Entry>(entries.begin(), entries.end()), {table.rows, table.columns});
}
// Copies, which the user may change.
template <class Entry>
Array<Entry> copy_out(std::span<const Entry> entries) {
    return array_of<Entry>(std::vector<Entry>(entries.begin(), entries.end()), {entries.size()});
}
inline FloatArray copy_out(Table<const double> table) {
    const Reals entries = table.entries();
    return array_of<double>(std::vector<double>(entries.begin(), entries.end()), {table.rows, table.columns});
}
inline IntArray copy_out(Order order) {
    const std::vector<std::int64_t> wide(order.begin(), order.end());
    return copy_out(Column(wide));
}

// The generator of numpy behind np.random.Generator; the object must live as long as this is used.
inline Random random_of(nb::handle generator) {
    const nb::object capsule = generator.attr("bit_generator").attr("capsule");
    auto* bits = static_cast<Random*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
    if (!bits) throw nb::python_error();
    return *bits;
}

// Holds a generator for as long as the core draws from it.
class GeneratorLock {
  public:
    explicit GeneratorLock(nb::handle generator) : lock_(generator.attr("bit_generator").attr("lock")) { lock_.attr("acquire")(); }
    GeneratorLock(const GeneratorLock&) = delete;
    GeneratorLock& operator=(const GeneratorLock&) = delete;
    ~GeneratorLock() { lock_.attr("release")(); }

  private:
    nb::object lock_;
};

// Calls `f` while other threads may run Python.
template <class F>
auto without_gil(F f) {
    const Interrupt::Scope scope;  // ends when the interpreter is held again
    const nb::gil_scoped_release release;
    return f();
}

// Slots of a class that holds Python objects, `python_objects()`, so that the garbage collector finds cycles through it.
template <class T>
struct Collected {
    static int traverse(PyObject* self, visitproc visit, void* arg) {
        Py_VISIT(Py_TYPE(self));
        if (!nb::inst_ready(self)) return 0;
        for (nb::object* object : nb::inst_ptr<T>(self)->python_objects()) Py_VISIT(object->ptr());
        return 0;
    }
    static int clear(PyObject* self) {
        for (nb::object* object : nb::inst_ptr<T>(self)->python_objects()) object->reset();
        return 0;
    }
    static inline PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse)}, {Py_tp_clear, reinterpret_cast<void*>(&clear)}, {0, nullptr}};
};

// Slots of a class that shares objects with Python: `each_shared(self, visit)` visits them, so that the garbage collector
// finds cycles through it. What is visited was given by Python, and no other pointer shares its reference. Nothing is
// cleared: every cycle passes through a class that is `Collected`.
template <class T, class EachShared>
nb::type_slots sharing(EachShared) {
    struct Slots {
        static int traverse(PyObject* self, visitproc visit, void* arg) {
            Py_VISIT(Py_TYPE(self));
            if (!nb::inst_ready(self)) return 0;
            int stopped = 0;
            EachShared{}(*nb::inst_ptr<T>(self), [&](const auto& shared) {
                if (stopped || !shared) return;
                if constexpr (std::is_base_of_v<nb::handle, std::decay_t<decltype(shared)>>) stopped = visit(shared.ptr(), arg);
                else if (const nb::object object = nb::find(*shared)) stopped = visit(object.ptr(), arg);
            });
            return stopped;
        }
    };
    static const PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&Slots::traverse)}, {0, nullptr}};
    return nb::type_slots(slots);
}

// A value for Python, where vectors are tuples, which can be hashed.
template <class Value>
nb::object hashable(const Value& value) {
    return nb::cast(value);
}
template <class Entry>
nb::object hashable(const std::vector<Entry>& values) {
    return nb::tuple(nb::cast(values));
}

// Has an immutable class be equal, hashed, pickled and shown by the arguments that made it: `arguments(self)`.
template <class Class, class Arguments>
void by_arguments(Class& cls, Arguments arguments) {
    using T = Class::Type;
    cls.def("__reduce__", [arguments](nb::handle self) { return nb::make_tuple(self.type(), arguments(nb::cast<const T&>(self))); },
            nb::sig("def __reduce__(self) -> tuple[type, tuple[object, ...]]"));
    cls.def("__eq__", [arguments](nb::handle self, nb::handle other) {
        if (!self.type().is(other.type())) return false;
        return arguments(nb::cast<const T&>(self)).equal(arguments(nb::cast<const T&>(other)));
    });
    cls.def("__hash__", [arguments](nb::handle self) {
        return nb::hash(nb::make_tuple(self.type(), arguments(nb::cast<const T&>(self))));
    });
    cls.def("__repr__", [arguments](nb::handle self) -> nb::str {
        const nb::object name = self.type().attr("__name__"), given = nb::list(arguments(nb::cast<const T&>(self)));
        nb::str text = nb::repr(given);
        return nb::str(nb::str("{}({})").attr("format")(name, text.attr("__getitem__")(nb::slice(1, -1, 1))));
    });
}

// What an immutable object is made from: `arguments()`, a tuple of references; nothing if the class has none.
template <class Made>
auto arguments_of(const Made& self) {
    if constexpr (requires { self.arguments(); }) return self.arguments();
    else return std::tuple<>();
}
template <class Made>
nb::tuple python_arguments(const Made& self) {
    return std::apply([](const auto&... values) { return nb::make_tuple(hashable(values)...); }, arguments_of(self));
}

// Calls visit(pointer) for the objects that an argument shares with Python.
template <class Value, class Visit>
void each_shared(const Value&, Visit) {}
template <class T, class Visit>
void each_shared(const std::shared_ptr<T>& shared, Visit visit) { visit(shared); }
template <class T, class Visit>
void each_shared(const std::vector<std::shared_ptr<T>>& all, Visit visit) {
    for (const auto& shared : all) visit(shared);
}

// Binds an immutable class that is made from its arguments.
template <class Made, class Base, class... Names>
auto bind_value(nb::module_& m, const char* name, const char* about, const Names&... names) {
    const auto shared = [](const Made& self, auto visit) {
        std::apply([&](const auto&... values) { (each_shared(values, visit), ...); }, arguments_of(self));
    };
    const auto bound = [&]<class... Arguments>(std::tuple<const Arguments&...>*) {
        return nb::class_<Made, Base>(m, name, sharing<Made>(shared), about).def(nb::init<Arguments...>(), names...);
    };
    auto cls = bound(static_cast<decltype(arguments_of(std::declval<const Made&>()))*>(nullptr));
    by_arguments(cls, &python_arguments<Made>);
    return cls;
}

}  // namespace planbatch
