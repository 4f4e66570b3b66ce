// What the launcher adds to the environment, kept from the program and given to the programs it starts.
//
// A launched program finds its environment as it would be without Headrace; every exec, spawn, system and popen puts
// the additions back, unless the target cannot take a preloaded library (target.h).
#pragma once
#include <cstddef>

namespace headrace::capture {

/// Remembers the additions of this process, and in a launched one takes them out of its environment (start_block.h). A
/// program that starts ranks on other nodes keeps them, since it alone can hand them on; where it would not, it is told
/// to. With `captured` false remembers nothing. Before main.
void take_environment(bool launched, bool captured, const char* executable, int argument_count, char** arguments);

/// The path of the library that programs started by this one are to preload; "" where there is none.
const char* preloaded_library();

/// `environment` with the additions for a program whose `runtime` (target.h) comes first, in this thread's scratch
/// memory (valid until its next use here); `environment` itself when there is nothing to add, or no room: then `reason`
/// says so. Usable in a vfork child: allocates nothing.
char* const* with_additions(char* const* environment, const char* runtime, const char** reason);
/// `environment` without them, the same way.
char* const* without_additions(char* const* environment);

/// A shell command that system() or popen() is to run, with what captures it: those take `environ` as it is, inside the
/// C library, and changing that even for a moment would be seen by other threads and forked children. Instead the
/// command's shell is told to set the additions and to become a shell that runs the command. The command as it is where
/// that is longer than an argument may be, where capture is off, or where the shell cannot be preloaded.
class CapturedCommand {
 public:
  explicit CapturedCommand(const char* command);
  ~CapturedCommand();
  CapturedCommand(const CapturedCommand&) = delete;
  CapturedCommand& operator=(const CapturedCommand&) = delete;
  const char* text() const { return text_; }

 private:
  const char* text_;
  size_t bytes_ = 0;
};

}  // namespace headrace::capture
