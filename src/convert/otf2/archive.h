#pragma once
// An archive of OTF2 that is written, and what its library says of failures. Internal to otf2.

#include <otf2/otf2.h>

#include <string>

#include "base/result.h"

namespace headrace::convert::otf2 {

/// While one of these is alive the library prints nothing, and failed() has its own words. One at a time in a process.
class Complaints {
 public:
  Complaints();
  ~Complaints();
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  /// What `code` and the words of the library say of `doing`, "writing events". kIo, kNoSpace, else kCorrupt.
  base::Status failed(OTF2_ErrorCode code, const std::string& doing) const;

 private:
  static OTF2_ErrorCode hear(void* self, const char* file, uint64_t line, const char* function, OTF2_ErrorCode code,
                             const char* format, va_list values);
  OTF2_ErrorCallback before_;
  std::string words_;
  int errno_ = 0;
};

}  // namespace headrace::convert::otf2
