#pragma once
// The part of headrace._native that reports and `headrace show` sum up with. What it promises: _native.pyi.

#include <nanobind/nanobind.h>

#include "bindings/log.h"

namespace headrace::bindings {

void define_report(nanobind::module_& module, nanobind::class_<Log>& log);

}  // namespace headrace::bindings
