#include "model/process.h"

#include <algorithm>

#include "base/hash.h"

namespace headrace::model {

uint64_t process_id_of(std::string_view host, uint32_t process_id, uint64_t created_boottime_ns) {
  return base::mix(base::mix(base::hash_text(host), process_id), created_boottime_ns);
}

void merge(Profile& into, const Profile& from) {
  into.calls += from.calls;
  into.errors += from.errors;
  into.bytes += from.bytes;
  into.time_ns += from.time_ns;
  into.max_ns = std::max(into.max_ns, from.max_ns);
  into.own_ns += from.own_ns;
}

}  // namespace headrace::model
