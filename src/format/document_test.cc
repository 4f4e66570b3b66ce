// docs/formats/ says what the code does: the worked example byte for byte, the limits, the columns of a job log.

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "base/bytes.h"
#include "format/layout.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

constexpr const char* kDocument = HEADRACE_SOURCE_DIR "/docs/formats/chunk-file.md";

std::string read(const char* path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

std::vector<uint8_t> example() {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes), {.job = 0x0123456789abcdef});
  const std::vector<uint64_t> counts{3, 260, 3, 4};
  const std::vector<std::string_view> directions{"read", "write", "read", "read"};
  EXPECT_TRUE(writer->add(TableBuilder("sizes").u64("count", counts).text("direction", directions)).ok());
  return bytes;  // without the index, which follows
}

/// One line for each field: offset, bytes, meaning.
class Listing {
 public:
  explicit Listing(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  void field(size_t count, const std::string& meaning) {
    char offset[16];
    std::snprintf(offset, sizeof offset, "%3zu  ", at_);
    std::string line = offset;
    for (size_t i = 0; i < count; ++i) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "%02x ", bytes_[at_ + i]);
      line += byte;
    }
    line.resize(std::max<size_t>(line.size(), 5 + 16 * 3), ' ');
    text_ += line + " " + meaning + "\n";
    at_ += count;
  }
  size_t at() const { return at_; }
  const std::string& text() const { return text_; }

 private:
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
  std::string text_;
};

std::string listing_of(const std::vector<uint8_t>& bytes) {
  Listing listing(bytes);
  listing.field(8, "magic, header layout 1");
  listing.field(4, "kind TABL");
  listing.field(2, "schema version 1");
  listing.field(2, "codec 0: stored as it is");
  listing.field(16, "name \"sizes\"");
  listing.field(8, "job 0x0123456789abcdef");
  listing.field(8, "process 0: the writer of the whole log");
  listing.field(4, "rank: none");
  listing.field(4, "thread 0");
  listing.field(8, "sequence 0");
  listing.field(8, "begin_at_ns: no times inside");
  listing.field(8, "end_at_ns");
  listing.field(4, "rows 4");
  listing.field(4, "raw length 84");
  listing.field(4, "stored length 84");
  listing.field(4, "CRC32C of the 84 stored bytes");
  listing.field(4, "CRC32C of the 96 bytes before");
  EXPECT_EQ(listing.at(), kHeaderSize);
  listing.field(2, "2 columns");
  listing.field(1, "name of 5 bytes");
  listing.field(5, "\"count\"");
  listing.field(1, "type u64");
  listing.field(1, "encoding frame");
  listing.field(4, "17 bytes of data");
  listing.field(1, "width 2: two bytes a row");
  listing.field(8, "base 3");
  listing.field(8, "3+0, 3+257, 3+0, 3+1");
  listing.field(1, "name of 9 bytes");
  listing.field(9, "\"direction\"");
  listing.field(1, "type text");
  listing.field(1, "encoding dictionary");
  listing.field(4, "37 bytes of data");
  listing.field(4, "2 distinct texts");
  listing.field(1, "their lengths: width 1");
  listing.field(8, "base 4");
  listing.field(2, "4+0, 4+1");
  listing.field(9, "\"read\" \"write\"");
  listing.field(1, "indices: width 1");
  listing.field(8, "base 0");
  listing.field(4, "read, write, read, read");
  EXPECT_EQ(listing.at(), bytes.size());
  return listing.text();
}

TEST(Document, ShowsWhatIsWritten) {
  const std::string document = read(kDocument);
  const std::string expected = listing_of(example());
  EXPECT_NE(document.find("```text\n" + expected + "```"), std::string::npos) << "put this into " << kDocument << ":\n"
                                                                              << expected;
}

/// The text between `before` and `after` in `line`, or nothing.
std::string between(const std::string& line, const std::string& before, const std::string& after) {
  const size_t begin = line.find(before);
  if (begin == std::string::npos) return {};
  const size_t end = line.find(after, begin + before.size());
  return end == std::string::npos ? std::string() : line.substr(begin + before.size(), end - begin - before.size());
}

// docs/formats/job-log.md has a row with the name and the meaning of every column that the bindings know.
TEST(Document, DescribesEveryColumnOfAJobLog) {
  const std::string document = read(HEADRACE_SOURCE_DIR "/docs/formats/job-log.md");
  std::ifstream list(HEADRACE_SOURCE_DIR "/src/model/tables.def");
  std::string section;
  int columns = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.rfind("TABLE(", 0) == 0) {
      const std::string title = "\n## `" + between(line, "TABLE(", ",") + "`\n";
      const size_t begin = document.find(title);
      ASSERT_NE(begin, std::string::npos) << title;
      section = document.substr(begin, document.find("\n## ", begin + title.size()) - begin);
    }
    if (line.rfind("COLUMN(", 0) != 0) continue;
    const std::string name = between(line, ", ", ",");
    const std::string row = between(section, "\n| `" + name + "` |", "\n");
    const std::string meaning = between(line, "\"", "\")");
    EXPECT_NE(row.find("| " + meaning + " |"), std::string::npos) << name << ": " << meaning;
    ++columns;
  }
  EXPECT_GT(columns, 50);
}

// The limits and numbers of the text.
TEST(Document, StatesTheLimits) {
  EXPECT_EQ(kHeaderSize, 100u);
  EXPECT_EQ(kNameSize, 16u);
  EXPECT_EQ(kMaxPayloadBytes, 67'108'864u);
  EXPECT_EQ(kMaxRows, 1'048'576u);
  EXPECT_EQ(kMaxColumns, 4096u);
  EXPECT_EQ(kMaxColumnName, 255u);
  EXPECT_EQ(kMaxDictionary, 1'048'576u);
}

}  // namespace
}  // namespace headrace::format
