#include "format/magic.h"

#include <string_view>

namespace headrace::format {
namespace {

struct Signature {
  size_t offset;
  std::string_view bytes;
  const char* meaning;
};

using std::string_view_literals::operator""sv;

// Files that people who look for I/O logs are likely to have at hand. Darshan: an eight-byte version text, then a
// magic number in the byte order of the machine that wrote it.
constexpr Signature kSignatures[] = {
    {8, "\x37\x35\x64\x00\x00\x00\x00\x00"sv,
     "is a Darshan log, not a Headrace log: 'headrace convert' makes one of it"},
    {8, "\x00\x00\x00\x00\x00\x64\x35\x37"sv,
     "is a Darshan log, not a Headrace log: 'headrace convert' makes one of it"},
    {0, "\x89HDF\r\n\x1a\n"sv, "is an HDF5 file, not a Headrace log"},
    {0, "\x1f\x8b"sv, "is a gzip file, not a Headrace log"},
    {0, "\x28\xb5\x2f\xfd"sv, "is a zstd file, not a Headrace log"},
    {0, "PAR1"sv, "is a Parquet file, not a Headrace log"},
    {0,
     "\x7f"
     "ELF"sv,
     "is a program or library, not a Headrace log"},
    {0, "SQLite format 3"sv, "is an SQLite database, not a Headrace log"},
};

}  // namespace

std::string describe_foreign(base::Bytes beginning) {
  const std::string_view text = base::as_text(beginning);
  for (const Signature& signature : kSignatures) {
    if (text.size() >= signature.offset && text.substr(signature.offset).starts_with(signature.bytes)) {
      return signature.meaning;
    }
  }
  return "is not a Headrace log";
}

}  // namespace headrace::format
