#pragma once
// Native failures as Python exceptions: the tree of headrace/_errors.py.

#include <utility>

#include "base/result.h"

namespace headrace::bindings {

/// Thrown through nanobind only; becomes the exception that headrace._errors.from_native() makes of code and message.
struct Failure {
  base::Status status;
};

inline void check(const base::Status& status) {
  if (!status.ok()) throw Failure{status};
}

template <typename T>
T take(base::Result<T> result) {
  check(result.status());
  return std::move(result).value();
}

/// Registers the translation. Called once, when the module is imported.
void register_errors();

}  // namespace headrace::bindings
