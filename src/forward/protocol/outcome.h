// What calls on files come to: a value, or the error number that the caller of a file system expects. Not base::Result,
// because "no such file" is an everyday answer here that has to travel as a number, and making it must not allocate.
#pragma once
#include <cstdlib>
#include <optional>
#include <utility>

namespace headrace::forward {

struct Failed {
  int error;  // as in errno.h, never 0
};

template <typename T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : value_(std::move(value)) {}
  Outcome(Failed failed) : error_(failed.error) {}

  bool ok() const { return value_.has_value(); }
  int error() const { return error_; }  // 0 when ok
  T& operator*() { return checked(); }
  const T& operator*() const { return const_cast<Outcome*>(this)->checked(); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Outcome*>(this)->checked(); }

 private:
  T& checked() {
    if (!value_.has_value()) std::abort();
    return *value_;
  }
  std::optional<T> value_;
  int error_ = 0;
};

}  // namespace headrace::forward
