#include "format/slot_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

TEST(Slots, NoTwoStreamsShareAByte) {
  for (const auto& [streams, files] : {std::pair<uint64_t, uint64_t>{1, 1}, {4, 2}, {7, 3}, {16, 16}}) {
    const Slots slots{streams, files};
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> ends;  // of extents, by file and begin
    for (uint64_t stream = 0; stream < streams; ++stream)
      for (uint64_t place = 0; place < (40u << 20);) {
        const Extent extent = extent_of(place);
        ASSERT_EQ(extent.begin, place);
        const uint64_t begin = slots.offset(stream, place);
        ASSERT_EQ(slots.offset(stream, place + extent.bytes - 1), begin + extent.bytes - 1);
        ASSERT_EQ(begin % kFirstExtent, 0u);
        ends[{slots.file_of(stream), begin}] = begin + extent.bytes;
        place += extent.bytes;
      }
    uint64_t file = ~uint64_t{0}, end = 0;
    for (const auto& [where, to] : ends) {
      if (where.first != file) end = 0;
      file = where.first;
      ASSERT_GE(where.second, end);
      end = to;
    }
  }
}

class SlotFiles : public testing::Test {
 protected:
  SlotFiles() : directory_(testing::TempDir() + "/slots." + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_);
  }
  ~SlotFiles() override { std::filesystem::remove_all(directory_); }
  std::string path(const char* name) const { return directory_ + "/" + name; }

  /// Chunks of some sizes; how many.
  static uint32_t write(const std::string& to, const Slots& slots, uint64_t stream, uint32_t chunks, uint64_t job,
                        uint64_t& position) {
    std::mt19937 random(static_cast<uint32_t>(stream));
    WriterOptions options;
    options.job = job;
    options.producer.rank = static_cast<uint32_t>(stream);
    auto writer = Writer::open(std::move(*SlotSink::open(to, slots, stream, position)), options);
    for (uint32_t i = 0; i < chunks; ++i) {
      std::vector<uint8_t> payload(random() % 90'000);
      for (uint8_t& byte : payload) byte = static_cast<uint8_t>(random());
      ChunkHeader header;
      header.kind = kind_of("TEST");
      EXPECT_TRUE(writer->add_chunk(header, payload).ok());
    }
    return chunks;
  }
  void first_file(uint64_t job) const {
    WriterOptions options;
    options.job = job;
    auto writer = Writer::open(std::move(*FileSink::open(path("first.hr"), FileSink::Mode::kReplace)), options);
    ChunkHeader header;
    header.kind = kind_of("TEST");
    ASSERT_TRUE(writer->add_chunk(header, {}).ok());
    ASSERT_TRUE(writer->close().ok());
  }
  std::string directory_;
};

TEST_F(SlotFiles, AreReadTogetherAndHolesTakeNoSpace) {
  first_file(7);
  const Slots slots{5, 2};
  uint32_t written = 1;
  for (uint64_t stream = 0; stream < 5; ++stream) {
    uint64_t position = 0;
    if (stream != 1)
      written +=
          write(path(slots.file_of(stream) ? "b.hr" : "a.hr"), slots, stream, stream == 2 ? 300 : 5, 7, position);
  }
  auto reader = Reader::open_together(path("first.hr"), {path("a.hr"), path("b.hr")});
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_EQ(reader->chunks().size(), written);
  EXPECT_TRUE(reader->verify().ok());
  EXPECT_TRUE(reader->damage().empty());
  EXPECT_TRUE(reader->closed());
  struct stat info{};
  ASSERT_EQ(stat(path("a.hr").c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, info.st_size / 2) << "streams of unlike length leave holes";
}

TEST_F(SlotFiles, WhatWasNotToldOfIsOverwritten) {
  first_file(7);
  const Slots slots{1, 1};
  uint64_t position = 0;
  write(path("a.hr"), slots, 0, 3, 7, position);
  uint64_t lost = 0, again = 0;
  write(path("a.hr"), slots, 0, 3, 7, lost);    // stored, and nobody knows
  write(path("a.hr"), slots, 0, 20, 7, again);  // the same once more, and what came since
  EXPECT_EQ(lost, position);
  auto reader = Reader::open_together(path("first.hr"), {path("a.hr")});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->chunks().size(), 21u);
  EXPECT_TRUE(reader->damage().empty());
}

TEST_F(SlotFiles, WhatIsOfAnotherJobIsTold) {
  first_file(7);
  uint64_t position = 0;
  write(path("a.hr"), {1, 1}, 0, 3, 8, position);
  auto reader = Reader::open_together(path("first.hr"), {path("a.hr")});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->chunks().size(), 1u);
  ASSERT_EQ(reader->damage().size(), 1u);
  EXPECT_NE(reader->damage()[0].reason.find("a.hr: at offset 0: 3 chunks are of another job"), std::string::npos);
}

TEST_F(SlotFiles, AnyDamageLeavesTheRest) {
  first_file(7);
  const Slots slots{3, 1};
  for (uint64_t stream = 0; stream < 3; ++stream) {
    uint64_t position = 0;
    write(path("a.hr"), slots, stream, 12, 7, position);
  }
  std::mt19937 random(1);
  const auto size = std::filesystem::file_size(path("a.hr"));
  for (int i = 0; i < 60; ++i) {
    std::filesystem::copy_file(path("a.hr"), path("c.hr"), std::filesystem::copy_options::overwrite_existing);
    const int descriptor = open(path("c.hr").c_str(), O_RDWR);
    const std::vector<char> noise(1 + random() % 5000, static_cast<char>(random() % 2 ? 0 : random()));
    (void)!pwrite(descriptor, noise.data(), noise.size(), static_cast<off_t>(random() % size));
    if (i % 3 == 0) (void)!ftruncate(descriptor, static_cast<off_t>(random() % size));
    close(descriptor);
    auto reader = Reader::open_together(path("first.hr"), {path("c.hr")});
    ASSERT_TRUE(reader.ok()) << reader.message();
    ASSERT_TRUE(reader->verify().ok());
    EXPECT_LE(reader->chunks().size(), 37u);
    EXPECT_GE(reader->chunks().size(), i % 3 == 0 ? 1u : 34u);
  }
}

}  // namespace
}  // namespace headrace::format
