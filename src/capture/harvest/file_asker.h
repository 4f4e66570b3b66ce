// Asks file systems about files from a process of its own, so that a server that does not answer holds up nobody: the
// call that waits for it cannot be ended, but can be left behind.
//
// For programs of one thread, such as the launcher: it forks. Never inside a program that is being observed.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace headrace::capture {

class FileAsker {
 public:
  enum class Question : uint8_t {
    kLustreLayout,  // the bytes of its layout
    kBlockSize,     // the size of a block, as stat(2) has it
    kRealPath,      // where the name leads when all links are followed
  };
  struct Answer {
    bool came = false;  // no: not in time, or there is nobody to ask
    int error = 0;      // errno of the file system
    uint64_t number = 0;
    std::vector<uint8_t> bytes;
  };

  FileAsker() = default;
  ~FileAsker() { leave(); }
  FileAsker(const FileAsker&) = delete;
  FileAsker& operator=(const FileAsker&) = delete;

  /// Waits at most `patience_ns`. What does not come in time is not waited for again.
  Answer ask(Question question, const std::string& path, uint64_t patience_ns);

 private:
  bool start();
  void leave();

  int socket_ = -1;
  pid_t owner_ = 0;  // the process that started it: a fork of that one must start its own
};

}  // namespace headrace::capture
