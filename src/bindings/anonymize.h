#pragma once
// Logs without names in Python: the module's functions that need anonymize/.

#include <nanobind/nanobind.h>

namespace headrace::bindings {

/// Defines Anonymizer and anonymize() of python/headrace/_native.pyi.
void define_anonymize(nanobind::module_& module);

}  // namespace headrace::bindings
