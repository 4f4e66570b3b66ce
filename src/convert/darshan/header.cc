#include "convert/darshan/header.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace headrace::convert::darshan {

using base::Code;
using base::Status;

namespace {

/// Numbers in the byte order of the log.
class HeaderWords {
 public:
  HeaderWords(base::Bytes bytes, bool swap) : in_(bytes), swap_(swap) {}
  uint64_t u64() { return swap_ ? __builtin_bswap64(in_.u64()) : in_.u64(); }
  uint32_t u32() { return swap_ ? __builtin_bswap32(in_.u32()) : in_.u32(); }
  void skip(uint64_t count) { (void)in_.take(count); }
  Region region() {
    const uint64_t offset = u64();
    return {offset, u64()};
  }

 private:
  base::ByteReader in_;
  bool swap_;
};

/// Formats before 3.20 have no datasets of HDF5, those before 3.41 no variables of PnetCDF: a place is opened for them.
void insert_place(Header& header, Module module) {
  const auto place = static_cast<size_t>(module);
  std::move_backward(header.modules.begin() + static_cast<std::ptrdiff_t>(place), header.modules.end() - 1,
                     header.modules.end());
  std::move_backward(header.versions.begin() + static_cast<std::ptrdiff_t>(place), header.versions.end() - 1,
                     header.versions.end());
  header.modules[place] = {};
  header.versions[place] = 0;
  const uint64_t below = (uint64_t{1} << place) - 1;
  header.partial = (header.partial & below) | ((header.partial & ~below) << 1);
}

bool parse_version(std::string_view text, unsigned& minor) {
  if (!text.starts_with("3.")) return false;
  text.remove_prefix(2);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, minor);
  return error == std::errc() && rest == end;
}

/// The job record lies between the header and whatever comes first behind it.
uint64_t end_of_job(const Header& header, uint64_t size) {
  uint64_t end = size;
  const auto consider = [&](const Region& region) {
    if (region.length != 0 && region.offset > header.job.offset) end = std::min(end, region.offset);
  };
  consider(header.names);
  for (const Region& region : header.modules) consider(region);
  return end;
}

}  // namespace

bool is_darshan(base::Bytes beginning) {
  if (beginning.size() < 16) return false;
  const auto magic = base::load<uint64_t>(beginning.data() + 8);
  return magic == kMagic || magic == __builtin_bswap64(kMagic);
}

base::Result<Header> parse_header(base::Bytes beginning, uint64_t size, const std::string& label) {
  if (!is_darshan(beginning)) return Status(Code::kForeign, label + ": is not a Darshan log");
  Header header;
  const std::string_view text = base::as_text(beginning.subspan(0, 8));
  header.version = text.substr(0, std::min(text.find('\0'), text.size()));
  const bool known =
      parse_version(header.version, header.minor) &&
      (header.minor == 0 || header.minor == 10 || header.minor == 20 || header.minor == 21 || header.minor == 41);
  if (!known) {
    const bool plain = std::all_of(header.version.begin(), header.version.end(),
                                   [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    return Status(Code::kUnsupported, label + ": is a Darshan log of format " + (plain ? header.version : "?") +
                                          ", and 3.00, 3.10, 3.20, 3.21 and 3.41 can be read: darshan-convert of its "
                                          "own version of Darshan may make one of these");
  }
  const bool wide = header.minor >= 41;
  const size_t bytes = wide ? kHeaderBytes : kOldHeaderBytes;
  if (beginning.size() < bytes) {
    return Status(Code::kTruncated, label + ": the Darshan log ends at byte " + std::to_string(beginning.size()) +
                                        ", inside its header of " + std::to_string(bytes) + ": copy it again");
  }
  header.swap = base::load<uint64_t>(beginning.data() + 8) != kMagic;
  if (beginning[16] > static_cast<uint8_t>(Compression::kNone)) {
    return Status(Code::kUnsupported, label + ": the Darshan log is compressed by method " +
                                          std::to_string(beginning[16]) +
                                          ", and 0 (zlib), 1 (bzip2) and 2 (none) "
                                          "are known: it is damaged, or of a newer Darshan");
  }
  header.compression = static_cast<Compression>(beginning[16]);
  HeaderWords words(beginning.subspan(0, bytes), header.swap);
  words.skip(wide ? 24 : 20);  // version, magic number, compression
  header.partial = wide ? words.u64() : words.u32();
  const size_t places = wide ? kModules : 16;
  header.names = words.region();
  for (size_t i = 0; i < places; ++i) header.modules[i] = words.region();
  for (size_t i = 0; i < places; ++i) header.versions[i] = words.u32();
  if (header.minor < 20) insert_place(header, Module::kH5d);
  if (header.minor < 41) insert_place(header, Module::kPnetcdfVar);
  header.job.offset = bytes;
  header.job.length = end_of_job(header, size) - std::min<uint64_t>(bytes, size);
  return header;
}

}  // namespace headrace::convert::darshan
