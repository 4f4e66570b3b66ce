#include "forward/protocol/handle.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "forward/protocol/secret.h"

namespace headrace::forward {
namespace {

constexpr uint8_t kHandleVersion = 1;
constexpr size_t kCode = 16;

Nonce code_of(const base::SipKey& key, base::Bytes bytes) { return base::siphash128(key, base::as_text(bytes)); }

}  // namespace

uint64_t File::identity() const { return base::mix(base::mix(root, inode), static_cast<uint64_t>(born)); }

std::vector<uint8_t> HandleMaker::make(const File& file) const {
  std::vector<uint8_t> bytes;
  bytes.reserve(20 + file.path.size() + kCode);
  base::ByteWriter out(bytes);
  out.u8(kHandleVersion);
  out.u8(file.type);
  out.u16(file.root);
  out.u64(file.inode);
  out.u64(static_cast<uint64_t>(file.born));
  out.append(base::as_bytes(file.path));
  out.append(code_of(key_, bytes));
  return bytes;
}

Outcome<File> HandleMaker::open(base::Bytes handle) const {
  if (handle.size() < kCode || handle.size() > kLongestHandle) return Failed{ESTALE};
  const base::Bytes inside = handle.first(handle.size() - kCode);
  Nonce said;
  memcpy(said.data(), handle.data() + inside.size(), kCode);
  if (!same(code_of(key_, inside), said)) return Failed{ESTALE};
  base::ByteReader in(inside);
  const uint8_t version = in.u8();
  File file;
  file.type = in.u8();
  file.root = in.u16();
  file.inode = in.u64();
  file.born = static_cast<int64_t>(in.u64());
  file.path = base::as_text(in.take(in.left()));
  if (!in.ok() || version != kHandleVersion || file.path.size() > kLongestPath) return Failed{ESTALE};
  return file;
}

}  // namespace headrace::forward
