#include "bindings/errors.h"

#include <nanobind/nanobind.h>

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

// Paths in messages are arbitrary bytes.
nb::object text_of(const std::string& bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Failure& failure) {
    const nb::object make = nb::module_::import_("headrace._errors").attr("from_native");
    const nb::object error = make(base::code_name(failure.status.code()), text_of(failure.status.message()));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  }
}

}  // namespace

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace headrace::bindings
