// What a killed monitor left, or whatever else is in its directory: a file of as many bytes as the second and third
// say, and a tail; the first says whether checksums are recomputed. Finishing ends in one file that can be read and has
// no row of the tail twice, or in an error that leaves both.

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "check_table.h"
#include "collect/devices/earlier_run.h"
#include "collect/devices/left_files.h"
#include "format/reader.h"
#include "heal.h"

using namespace headrace;
using namespace headrace::fuzz;

namespace {

/// For the files, gone at the end.
struct Directory {
  Directory() { require(mkdtemp(path.data()) != nullptr); }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string path = (std::filesystem::temp_directory_path() / "headrace-fuzz-XXXXXX").string();
};

void write(const std::string& path, const uint8_t* begin, const uint8_t* end, bool heal) {
  std::vector<uint8_t> bytes(begin, end);
  if (heal) heal_checksums(bytes);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), end - begin);
}

uint64_t rows_of(const std::string& path) {
  auto reader = format::Reader::open(path, {.table_bytes = 32u << 20, .chunks = 10'000});
  if (!reader.ok()) return 0;
  const auto table = reader->table("samples");
  if (table.ok()) check_table(*table);
  return table.ok() ? table->rows : 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Directory directory;
  static const std::string base = directory.path + "/x", file = base + ".open.hr", tail = base + ".tail.hr",
                           done = base + ".hr";
  if (size < 3) return 0;
  const uint8_t *begin = data + 3, *end = data + size;
  const uint8_t* middle = begin + std::min<size_t>(data[1] + 256U * data[2], size - 3);
  for (const std::string& path : {file, tail, done}) std::filesystem::remove(path);
  write(file, begin, middle, data[0] % 2 == 1);
  write(tail, middle, end, data[0] % 2 == 1);
  const uint64_t in_file = rows_of(file), in_tail = rows_of(tail);
  if (const base::Status finished = collect::finish_left_file(base); !finished.ok()) {
    require(!finished.message().empty() && std::filesystem::exists(file) && std::filesystem::exists(tail));
    return 0;
  }
  require(!std::filesystem::exists(file) && !std::filesystem::exists(tail));
  if (!std::filesystem::exists(done)) return 0;
  const uint64_t all = rows_of(done);
  require(all <= in_file + in_tail);
  collect::last_sample(directory.path, 1'000'000);
  // As if it had been killed before the tail was removed.
  std::filesystem::rename(done, file);
  write(tail, middle, end, data[0] % 2 == 1);
  if (collect::finish_left_file(base).ok()) require(rows_of(done) == all);
  return 0;
}
