#pragma once
// The decompressed bytes of one region of a Darshan log, as a stream of bounded memory. One thread at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "convert/darshan/header.h"
#include "format/source.h"

namespace headrace::convert::darshan {

class RegionReader {
 public:
  /// `source` outlives it. A region that does not lie inside the file is read as far as it does. `padded`: zero bytes
  /// may lie before, between and behind what was compressed, as where nobody wrote down the region's place.
  RegionReader(format::Source& source, const Region& region, Compression compression, bool padded = false);
  ~RegionReader();
  RegionReader(const RegionReader&) = delete;
  RegionReader& operator=(const RegionReader&) = delete;

  /// Fills `out` unless the region ends: gives how many bytes were left of it. What could not be decompressed is like
  /// an end, and trouble() then says why.
  size_t read(std::span<uint8_t> out);

  /// Empty: nothing was wrong so far. Otherwise why the bytes ended early, and where in the file.
  const std::string& trouble() const { return trouble_; }
  uint64_t given() const { return given_; }  // decompressed bytes so far

 private:
  struct Stream;
  class Zlib;
  class Bzip2;
  class Plain;
  bool fill();        // input_ has bytes afterwards, or the region is at its end
  bool skip_zeros();  // the same, and the first one is no zero byte
  void fail(const std::string& why);

  format::Source& source_;
  Region region_;
  bool padded_ = false, cut_ = false;
  uint64_t position_ = 0;  // in the region, of what comes into the buffer next
  std::vector<uint8_t> scratch_;
  base::Bytes input_;
  std::unique_ptr<Stream> stream_;
  std::string trouble_;
  uint64_t given_ = 0;
};

}  // namespace headrace::convert::darshan
