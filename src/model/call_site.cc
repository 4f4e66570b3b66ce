#include "model/call_site.h"

#include "base/hash.h"

namespace headrace::model {

uint64_t module_id(std::string_view path, std::string_view build_id) {
  return base::mix(base::hash_text(path), base::hash_text(build_id));
}

uint64_t stack_id(const std::vector<Frame>& frames) {
  uint64_t id = base::hash_text("stack");
  for (const Frame& frame : frames) {
    if (frame.is_python()) id = base::mix(base::mix(id, base::hash_text(frame.file)), base::hash_text(frame.function));
    id = base::mix(base::mix(id, frame.module), frame.is_python() ? frame.line : frame.offset);
  }
  return id;
}

}  // namespace headrace::model
