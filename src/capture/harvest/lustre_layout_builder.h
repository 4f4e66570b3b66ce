// For tests: makes the bytes of Lustre layouts as a client gives them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace headrace::capture {

using Layout = std::vector<uint8_t>;

struct Stripes {
  uint32_t size = 1 << 20;
  uint16_t count = 1;
  std::vector<uint32_t> osts;
  std::string pool;
  uint32_t pattern = 1;
};

/// `lov_user_md_v3` with a pool, else `lov_user_md_v1`.
inline Layout plain_layout(const Stripes& stripes) {
  Layout bytes;
  base::ByteWriter out(bytes);
  out.u32(stripes.pool.empty() ? 0x0BD10BD0 : 0x0BD30BD0);
  out.u32(stripes.pattern);
  out.u64(0x1234);  // object
  out.u64(0x200000401);
  out.u32(stripes.size);
  out.u16(stripes.count);
  out.u16(0);
  if (!stripes.pool.empty()) {
    for (size_t i = 0; i < 16; ++i) out.u8(i < stripes.pool.size() ? static_cast<uint8_t>(stripes.pool[i]) : 0);
  }
  for (const uint32_t ost : stripes.osts) {
    out.u64(77);
    out.u64(0);
    out.u32(0);
    out.u32(ost);
  }
  return bytes;
}

struct Part {
  uint32_t id, flags;
  uint64_t start, end;
  Layout stripes;
};

/// `lov_comp_md_v1`.
inline Layout composite_layout(const std::vector<Part>& parts, uint32_t magic = 0x0BD60BD0) {
  Layout bytes;
  base::ByteWriter out(bytes);
  size_t size = 32 + 48 * parts.size();
  out.u32(magic);
  out.u32(0);
  out.u32(3);  // generation
  out.u16(0);
  out.u16(static_cast<uint16_t>(parts.size()));
  out.u64(0);
  out.u64(0);
  for (const Part& part : parts) {
    out.u32(part.id);
    out.u32(part.flags);
    out.u64(part.start);
    out.u64(part.end);
    out.u32(static_cast<uint32_t>(size));
    out.u32(static_cast<uint32_t>(part.stripes.size()));
    out.u64(0);
    out.u64(0);
    size += part.stripes.size();
  }
  for (const Part& part : parts) out.append(part.stripes);
  out.set_u32(4, static_cast<uint32_t>(size));
  return bytes;
}

}  // namespace headrace::capture
