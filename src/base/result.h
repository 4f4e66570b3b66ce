#pragma once
// Errors are values. A function that can fail returns Status, or Result<T> when it also has something to give.
// A message is a whole sentence for the reader of a terminal: the file, the place in it, and what to do next.
//
// Both are plain values: no locks, no globals, safe in any thread. Making a failure allocates; success does not.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace headrace::base {

enum class Code : uint8_t {
  kOk = 0,
  kNotFound,     // the named thing does not exist
  kCorrupt,      // bytes contradict themselves or fail their checksum
  kTruncated,    // bytes end too early
  kForeign,      // the file is something else
  kUnsupported,  // written by a newer version, or not available on this machine
  kIo,           // the operating system refused
  kNoSpace,      // disk or quota full
  kInvalid,      // the caller asked for something that makes no sense
  kLimit,        // a stated bound was reached
};

/// Short lower-case name of a code ("corrupt"), for logs and for the exception names of other languages.
constexpr const char* code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kNotFound:
      return "not found";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kTruncated:
      return "truncated";
    case Code::kForeign:
      return "foreign";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kIo:
      return "i/o error";
    case Code::kNoSpace:
      return "no space";
    case Code::kInvalid:
      return "invalid";
    case Code::kLimit:
      return "limit";
  }
  return "unknown";
}

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

/// What was asked for cannot be; the text says what to change.
inline Status invalid(std::string why) { return {Code::kInvalid, std::move(why)}; }

/// Either a T or the Status that says why there is none. Reading the value of a failure aborts the process.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status failure) : status_(std::move(failure)) {
    if (status_.ok()) std::abort();  // "ok" without a value has no meaning
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  Code code() const { return status_.code(); }
  const std::string& message() const { return status_.message(); }

  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() { return checked(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

 private:
  T& checked() {
    if (!value_.has_value()) std::abort();
    return *value_;
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace headrace::base

#define HEADRACE_CONCAT_(a, b) a##b
#define HEADRACE_CONCAT(a, b) HEADRACE_CONCAT_(a, b)

/// HEADRACE_TRY(call()): leaves the function with the Status of a call that failed.
#define HEADRACE_TRY(expression)                                                            \
  do {                                                                                      \
    if (auto headrace_status = (expression); !headrace_status.ok()) return headrace_status; \
  } while (false)

/// HEADRACE_ASSIGN(auto x, call()): x becomes the value of a Result, or the function is left with its Status.
#define HEADRACE_ASSIGN(declaration, expression) \
  HEADRACE_ASSIGN_(HEADRACE_CONCAT(headrace_result_, __LINE__), declaration, expression)
#define HEADRACE_ASSIGN_(name, declaration, expression) \
  auto name = (expression);                             \
  if (!name.ok()) return name.status();                 \
  declaration = std::move(name).value()
