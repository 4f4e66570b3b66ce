// Where CPython keeps what tells which Python code runs: offsets in its objects, by version.
//
// 3.13 states its own, in the first words of `_PyRuntime`. Those of 3.10 to 3.12 are written down here: the C
// structures do not change within a minor version once it is a release candidate. Any other version is not read.
#pragma once
#include <cstdint>

#include "capture/recorder/readable_pages.h"

namespace headrace::capture {

struct PythonLayout {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t current;               // thread state: the innermost frame, or the C frame that has it
  uint32_t through;               // that C frame: the innermost frame; kNone: there is no C frame
  uint32_t previous, code;        // frame: its caller, its code object
  uint32_t instruction;           // frame: address of the instruction; before 3.11 its number
  uint32_t line;                  // frame: its line if it is not 0; kNone: there is no such word
  uint32_t owner, owners;         // frame: whose it is; kNone: not told. That and anything above is not known
  uint32_t shim;                  // owner of frames that stand for a call of the interpreter and have no code; or kNone
  uint32_t file, function;        // code object: strings
  uint32_t lines, first_line;     // code object: table of lines, and the line that it begins with
  uint32_t instructions;          // code object: where they begin; kNone: in an object of their own
  uint32_t ascii_text, any_text;  // strings: where the characters begin
};

/// The layout of a version, as in PY_VERSION_HEX. `runtime`: address of `_PyRuntime`. False: it is not known.
bool python_layout(uint32_t version, uintptr_t runtime, ReadablePages& memory, PythonLayout* out);

/// PY_VERSION_HEX of what Py_GetVersion returns, such as "3.10.13 (main, …"; 0: a development version, or no version.
uint32_t python_version(const char* text);

}  // namespace headrace::capture
