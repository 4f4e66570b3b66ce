// Which code did an operation: stacks in terms of the files that programs are loaded from, so that all processes of one
// program share them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::model {

/// A program, library or plug-in that was loaded.
struct Module {
  uint64_t id = 0;
  std::string path;
  std::string build_id;  // hexadecimal; empty: it has none
};
/// Id of a module in a job log.
uint64_t module_id(std::string_view path, std::string_view build_id);

/// A frame of machine code, or a line of Python.
struct Frame {
  uint64_t module = 0;         // 0: in no module
  uint64_t offset = 0;         // return address: virtual address in the module's file, or in the process
  std::string function, file;  // of Python; both empty: machine code
  uint64_t line = 0;           // of Python; 0: not known
  bool is_python() const { return !function.empty() || !file.empty(); }
  bool operator==(const Frame&) const = default;
};

struct Stack {
  uint64_t id = 0;
  std::vector<Frame> frames;  // innermost first; those of Python before those of machine code
};
/// Id of a stack in a job log: a hash of its frames.
uint64_t stack_id(const std::vector<Frame>& frames);

/// An operation of a file and the stack that did it.
struct CallSite {
  std::string_view what;  // static storage: open, slowest_read, slowest_write, largest_read or largest_write
  uint64_t stack = 0;
  uint64_t bytes = 0, time_ns = 0, at_ns = 0;  // of the operation; at_ns: when it ended; all 0 for open
  bool operator==(const CallSite&) const = default;
};

}  // namespace headrace::model
