#include "convert/otf2/archive.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace headrace::convert::otf2 {

using base::Code;
using base::Status;

Complaints::Complaints() : before_(OTF2_Error_RegisterCallback(hear, this)) {}
Complaints::~Complaints() { OTF2_Error_RegisterCallback(before_, nullptr); }

OTF2_ErrorCode Complaints::hear(void* self, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char* format,
                                va_list values) {
  auto* mine = static_cast<Complaints*>(self);
  if (!mine->words_.empty()) return code;  // the first one is the cause
  mine->errno_ = errno;
  char text[512] = "";
  if (format != nullptr) vsnprintf(text, sizeof text, format, values);
  mine->words_ = text;
  return code;
}

Status Complaints::failed(OTF2_ErrorCode code, const std::string& doing) const {
  const bool full = errno_ == ENOSPC || errno_ == EDQUOT || code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_EDQUOT;
  std::string text = doing + ": the OTF2 library says: " + OTF2_Error_GetDescription(code);
  if (!words_.empty()) text += " (" + words_ + ")";
  return {full ? Code::kNoSpace : errno_ != 0 ? Code::kIo : Code::kCorrupt, text};
}

}  // namespace headrace::convert::otf2
