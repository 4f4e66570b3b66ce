#include "convert/darshan/names.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace headrace::convert::darshan {

namespace {
constexpr size_t kNamesBlock = 1 << 16;
constexpr size_t kLongest = 1 << 16;  // of a name: paths end at 4096, datasets have some more
}  // namespace

void NameMap::add(uint64_t id, std::string_view name) {
  const auto [place, is_new] = names_.try_emplace(id, name);
  if (is_new) ids_.push_back(id);
  if (!is_new && place->second.empty()) place->second = name;
}

/// Adds the whole records at the start and gives their bytes.
size_t NameMap::parse(base::Bytes bytes, const Header& header) {
  size_t at = 0;
  while (bytes.size() - at > sizeof(uint64_t)) {
    const auto stored = base::load<uint64_t>(bytes.data() + at);
    const uint64_t id = header.swap ? __builtin_bswap64(stored) : stored;
    const base::Bytes rest = bytes.subspan(at + sizeof id);
    if (header.minor == 0) {  // a length before the name instead of a NUL byte behind it
      if (rest.size() < sizeof(uint32_t)) break;
      uint32_t length = base::load<uint32_t>(rest.data());
      if (header.swap) length = __builtin_bswap32(length);
      if (rest.size() - sizeof length < length) break;
      std::string_view name = base::as_text(rest.subspan(sizeof length, length));
      add(id, name.substr(0, std::min(name.find('\0'), name.size())));
      at += sizeof id + sizeof length + length;
      continue;
    }
    const void* end = std::memchr(rest.data(), 0, rest.size());
    if (end == nullptr) break;
    const auto length = static_cast<size_t>(static_cast<const uint8_t*>(end) - rest.data());
    add(id, base::as_text(rest.subspan(0, length)));
    at += sizeof id + length + 1;
  }
  return at;
}

bool NameMap::read(RegionReader& region, const Header& header, uint64_t most) {
  std::vector<uint8_t> block;
  size_t kept = 0;
  while (true) {
    block.resize(kept + kNamesBlock);
    const size_t got = region.read(std::span(block).subspan(kept));
    const size_t used = parse(base::Bytes(block.data(), kept + got), header);
    kept += got - used;
    if (kept != 0) std::memmove(block.data(), block.data() + used, kept);
    if (got < kNamesBlock) return kept == 0 && region.trouble().empty();
    if (kept > kLongest || region.given() > most) return false;
  }
}

std::string_view NameMap::raw(uint64_t id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? std::string_view() : found->second;
}

std::string NameMap::of(uint64_t id) const {
  const auto found = names_.find(id);
  if (found != names_.end() && !found->second.empty()) return found->second;
  char text[32];
  snprintf(text, sizeof text, "<darshan %016llx>", static_cast<unsigned long long>(id));
  return text;
}

}  // namespace headrace::convert::darshan
