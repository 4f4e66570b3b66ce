#include "capture/harvest/spool_bytes.h"

#include "capture/spool_layout.h"

namespace headrace::capture {

bool SpoolBytes::store(uint64_t offset, const void* data, uint64_t length, uint64_t header_bytes) {
  if (!inside(offset, length) || offset < header_bytes) return false;
  std::memcpy(bytes_.data() + offset, data, length);
  return true;
}

bool SpoolBytes::take(uint64_t offset, uint64_t length) {
  if (!inside(offset, length) || length == 0) return false;
  const uint64_t first = offset / kGrain, last = (offset + length - 1) / kGrain;
  for (int pass = 0; pass < 2; ++pass) {  // look at all of it before taking any
    for (uint64_t word = first / 64; word <= last / 64; ++word) {
      uint64_t mask = ~uint64_t{0};
      if (word == first / 64) mask &= ~uint64_t{0} << (first % 64);
      if (word == last / 64) mask &= ~uint64_t{0} >> (63 - last % 64);
      if (pass == 0 && (claimed_[word] & mask) != 0) return false;
      if (pass == 1) claimed_[word] |= mask;
    }
  }
  return true;
}

bool SpoolBytes::text(uint64_t offset, uint64_t length, std::string_view* out) const {
  *out = {};
  if (offset > bytes_.size() || length > bytes_.size() - offset) return false;
  *out = std::string_view(reinterpret_cast<const char*>(bytes_.data()) + offset, length);
  return true;
}

bool SpoolBytes::name(uint32_t offset, std::string_view* out) const {
  *out = {};
  if (offset == 0) return true;
  Name name;
  return load(offset, &name) && text(offset + sizeof(Name), name.length, out);
}

}  // namespace headrace::capture
