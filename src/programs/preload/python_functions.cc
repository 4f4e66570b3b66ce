// Functions of Python programs as regions, on request: what share/python/sitecustomize.py hands to the interpreter as
// its profile function. Only that file knows this ABI; both are of one installation.
//
// The number of a function's region is kept with its code object (co_extra of CPython: a pointer for each user, freed
// with the code), so an event is found without any table. Nothing here runs code of Python, whose signal handlers and
// exceptions would come in between. All is called with the interpreter's lock held; threads of interpreters without one
// (3.13t) may name a function twice at once: both get the same number.
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "capture/recorder/regions.h"
#include "capture/trace_filter.h"

namespace {

using namespace headrace::capture;  // NOLINT

constexpr int kCall = 0, kReturn = 3;  // PyTrace_CALL and PyTrace_RETURN; generators have both each time they go on
constexpr uintptr_t kNotChosen = UINT32_MAX;
constexpr int kLongestName = 1024;

/// Functions of CPython, as its headers declare them with PyObject* for void*.
struct Interpreter {
  void* (*frame_get_code)(void* frame);
  void (*dec_ref)(void* object);
  int (*code_get_extra)(void* code, ssize_t index, void** extra);
  int (*code_set_extra)(void* code, ssize_t index, void* extra);
  void* (*get_attribute)(void* object, const char* name);
  void* (*dict_get_item)(void* dict, const char* key);  // borrowed
  const char* (*unicode_as_utf8)(void* text);
  void (*error_clear)();
};
Interpreter python{};
ssize_t extra_index = -1;  // no interpreter has begun
char chosen[kLongestTraceList];
HEADRACE_LARGE char library[kPathMax];

/// One interpreter of a process: indexes of co_extra are of each by itself.
int start(const Interpreter* functions, ssize_t index, const char* choice, const char* standard_library) {
  if (extra_index >= 0 || index < 0 || strlen(choice) >= sizeof chosen || strlen(standard_library) >= sizeof library)
    return 0;
  python = *functions;
  strcpy(chosen, choice);
  strcpy(library, standard_library);
  extra_index = index;
  return 1;
}

/// A text of Python's in this process's memory for as long as its object is there; "" where it is none.
class Text {
 public:
  Text(void* object, const char* attribute) : held_(object ? python.get_attribute(object, attribute) : nullptr) {
    text_ = held_ ? python.unicode_as_utf8(held_) : nullptr;
    if (!text_) python.error_clear();
  }
  ~Text() {
    if (held_) python.dec_ref(held_);
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  const char* get() const { return text_ ? text_ : ""; }

 private:
  void* held_;
  const char* text_;
};

bool starts_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/// Neither the standard library's nor installed, nor made by either at run time.
bool is_own(const char* module, const char* path) {
  if (*path == '<') return strcmp(module, "__main__") == 0 && !starts_with(path, "<frozen");
  return !starts_with(path, library) && !strstr(path, "/site-packages/") && !strstr(path, "/dist-packages/");
}

bool is_chosen(const char* module, const char* path) {
  const bool importing = starts_with(path, "<frozen importlib");
  return !each_word(chosen, [&](const char* word, size_t length) {
    const auto is = [&](const char* text) { return strlen(text) == length && memcmp(word, text, length) == 0; };
    const bool within =
        length != 0 && strncmp(module, word, length) == 0 && (module[length] == 0 || module[length] == '.');
    return !(within || (is("all") && !importing) || (is("own") && is_own(module, path)));
  });
}

/// kNotChosen also where there is no memory for one, which is counted.
uintptr_t number_of(void* frame, void* code) {
  void* globals = python.get_attribute(frame, "f_globals");
  void* name = globals ? python.dict_get_item(globals, "__name__") : nullptr;
  const char* module = name ? python.unicode_as_utf8(name) : nullptr;
  if (!module) {
    python.error_clear();
    module = "?";
  }
  uintptr_t number = kNotChosen;
  if (const Text path(code, "co_filename"); is_chosen(module, path.get())) {
    const Text qualified(code, "co_qualname"), plain(code, "co_name");
    char full[kLongestName];
    snprintf(full, sizeof full, "%s.%s", module, *qualified.get() ? qualified.get() : plain.get());
    if (const uint32_t known = region_number(RegionKind::kPython, full)) number = known;
  }
  if (globals) python.dec_ref(globals);
  return number;
}

/// Py_tracefunc: never fails.
int event(void*, void* frame, int what, void*) {
  if (what != kCall && what != kReturn) return 0;
  void* code = python.frame_get_code(frame);
  void* extra = nullptr;
  if (python.code_get_extra(code, extra_index, &extra) == 0) {
    auto number = reinterpret_cast<uintptr_t>(extra);
    if (number == 0 && what == kCall) {
      number = number_of(frame, code);
      if (python.code_set_extra(code, extra_index, reinterpret_cast<void*>(number)) != 0) python.error_clear();
    }
    if (number != 0 && number != kNotChosen)
      what == kCall ? enter_region(static_cast<uint32_t>(number)) : leave_region(static_cast<uint32_t>(number));
  }
  python.dec_ref(code);
  return 0;
}

struct PythonRecorder {
  int (*start)(const Interpreter*, ssize_t, const char*, const char*);
  int (*event)(void*, void*, int, void*);
};
constinit const PythonRecorder recorder = {start, event};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const void* headrace_python_recorder();

/// Null where events are not recorded, now or later.
const void* headrace_python_recorder() { return may_record_events() ? &recorder : nullptr; }

}  // extern "C"
