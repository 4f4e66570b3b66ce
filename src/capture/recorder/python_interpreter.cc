#include "capture/recorder/python_interpreter.h"

#include <sys/auxv.h>

#include "capture/recorder/elf_symbols.h"
#include "capture/recorder/state.h"

namespace headrace::capture {
namespace {

struct Interpreter {
  Python python;
  uintptr_t (*thread_state)();  // of the calling thread: the value of a key
  int (*finalizing)();
  LoadedObject object;
  uint64_t identity;
  bool permanent;
};
Interpreter interpreter;
bool found;    // `interpreter` is complete and stays as it is
bool checked;  // its objects were once seen to be as expected
HEADRACE_LARGE ReadablePages::Lasting pages;

/// A program that was linked to stand at a fixed address has taken the library's variables over.
uintptr_t variable(const LoadedObject& object, const char* name) {
  LoadedObject program;
  if (find_object(getauxval(AT_ENTRY), &program))
    if (const uintptr_t address = exported_symbol(program, name)) return address;
  return exported_symbol(object, name);
}

template <typename Function>
Function* function(const LoadedObject& object, const char* name) {
  return reinterpret_cast<Function*>(exported_symbol(object, name));
}

uint32_t version_of(const LoadedObject& object, ReadablePages& memory) {
  uint64_t version;
  if (const uintptr_t number = variable(object, "Py_Version"))
    return memory.load(number, &version) ? static_cast<uint32_t>(version) : 0;
  // Before 3.11. It writes the same text into the same place each time, and needs nothing of the interpreter.
  const auto text = function<const char*()>(object, "Py_GetVersion");
  return text ? python_version(text()) : 0;
}

bool find_out(const LoadedObject& object, Interpreter* out) {
  out->thread_state = function<uintptr_t()>(object, "PyGILState_GetThisThreadState");
  if (!out->thread_state) return false;
  const uintptr_t runtime = variable(object, "_PyRuntime");
  ReadablePages memory;
  Python& python = out->python;
  if (!runtime || !python_layout(version_of(object, memory), runtime, memory, &python.layout)) return false;
  python.code_type = variable(object, "PyCode_Type");
  python.text_type = variable(object, "PyUnicode_Type");
  python.bytes_type = variable(object, "PyBytes_Type");
  out->finalizing = function<int()>(object, "_Py_IsFinalizing");
  if (!out->finalizing) out->finalizing = function<int()>(object, "Py_IsFinalizing");
  out->object = object;
  out->identity = identity_of(object, build_id_of(object));
  out->permanent = is_permanent(object);
  return python.code_type && python.text_type && python.bytes_type && out->finalizing;
}

bool still_there() {
  if (interpreter.permanent) return true;
  LoadedObject object;
  return find_object(interpreter.object.start, &object) && object.start == interpreter.object.start &&
         object.map == interpreter.object.map && identity_of(object, build_id_of(object)) == interpreter.identity;
}

}  // namespace

void offer_interpreter(const LoadedObject& object) {
  if (!found && find_out(object, &interpreter)) __atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

InterpreterSpan interpreter_span() {
  if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE)) return {0, 0};
  return {interpreter.object.start, interpreter.object.end};
}

ReadablePages python_memory(bool alive) {
  return alive && __atomic_load_n(&checked, __ATOMIC_RELAXED) ? ReadablePages(pages) : ReadablePages();
}

const Python* read_own_stack(bool main_thread, ReadablePages& memory, PythonStack* out) {
  out->count = 0;
  if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE) || !still_there()) return nullptr;
  // At the end the main thread takes away what the others, which run on, stand on.
  if (!main_thread && interpreter.finalizing()) return nullptr;
  read_python_stack(interpreter.python, interpreter.thread_state(), memory, out);
  if (out->count == 0) return nullptr;
  __atomic_store_n(&checked, true, __ATOMIC_RELAXED);
  return &interpreter.python;
}

}  // namespace headrace::capture
