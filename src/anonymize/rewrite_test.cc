#include "anonymize/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/hash.h"
#include "format/writer.h"

namespace headrace::anonymize {
namespace {

using format::MemorySink;
using format::Reader;
using format::TableBuilder;
using format::Writer;

using Bytes = std::vector<uint8_t>;

void write_job(Bytes& bytes, uint64_t job, bool close = true) {
  Bytes part;
  format::WriterOptions options;
  options.job = job;
  auto writer = Writer::open(std::make_unique<MemorySink>(part), options);
  const std::string key[] = {"complete", "host", "user_id"}, value[] = {"yes", "alicehost", "4711"};
  const std::string text[] = {"/scratch/alice/x", "alicehost"};
  const uint64_t id[] = {base::hash_text(text[0]), base::hash_text(text[1])};
  const uint64_t reads[] = {3, 4}, process[] = {9, 9};
  ASSERT_TRUE(writer->add(TableBuilder("job").text("key", std::span(key)).text("value", std::span(value))).ok());
  ASSERT_TRUE(writer->add(TableBuilder("files").u64("process", process).u64("path", id).u64("reads", reads)).ok());
  ASSERT_TRUE(writer->add(TableBuilder("names").u64("name", id).text("text", std::span(text))).ok());
  ASSERT_TRUE(writer->add(TableBuilder("diary").text("entry", std::span(text))).ok());
  if (close) {
    ASSERT_TRUE(writer->close().ok());
  }
  bytes.insert(bytes.end(), part.begin(), part.end());
}

struct Outcome {
  base::Result<Rewritten> result;
  Bytes bytes;
};

Outcome rewritten(const Bytes& bytes) {
  auto reader = Reader::open_memory(bytes);
  Bytes out;
  Anonymizer anonymizer(base::SipKey{1});
  auto result = rewrite(*reader, std::make_unique<MemorySink>(out), anonymizer);
  return {std::move(result), std::move(out)};
}

std::string fact(Reader& reader, uint64_t job, std::string_view wanted) {
  const auto table = reader.table("job", job);
  std::string found = "none";
  for (uint64_t row = 0; row < table->rows; ++row) {
    if (table->find("key")->text(row) == wanted) found = table->find("value")->text(row);
  }
  return found;
}

TEST(Rewrite, KeepsFiguresAndNoNames) {
  Bytes bytes;
  write_job(bytes, 77);
  const Outcome outcome = rewritten(bytes);
  ASSERT_TRUE(outcome.result.ok());
  EXPECT_EQ(outcome.result->left_out, std::vector<std::string>{"table 'diary'"});
  auto reader = Reader::open_memory(outcome.bytes);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->closed());
  EXPECT_NE(reader->jobs()[0], 77u);
  const auto files = reader->table("files"), names = reader->table("names");
  EXPECT_EQ(files->find("reads")->u64(1), 4u);
  EXPECT_EQ(files->find("path")->u64(0), names->find("name")->u64(0));
  EXPECT_EQ(fact(*reader, reader->jobs()[0], "complete"), "yes");
  EXPECT_EQ(fact(*reader, reader->jobs()[0], "anonymized"), "1");
  EXPECT_EQ(fact(*reader, reader->jobs()[0], "user_id"), "none");
  for (const format::ChunkInfo& chunk : reader->chunks()) {
    const auto payload = reader->payload(chunk);
    const std::string text(payload->begin(), payload->end());
    EXPECT_EQ(text.find("alice"), std::string::npos);
    EXPECT_EQ(text.find("4711"), std::string::npos);
  }
}

TEST(Rewrite, KeepsConcatenatedJobsApart) {
  Bytes bytes;
  write_job(bytes, 77);
  write_job(bytes, 78);
  const Outcome outcome = rewritten(bytes);
  ASSERT_TRUE(outcome.result.ok());
  EXPECT_EQ(outcome.result->jobs, 2u);
  auto reader = Reader::open_memory(outcome.bytes);
  EXPECT_EQ(reader->jobs().size(), 2u);
  EXPECT_EQ(reader->table("files", reader->jobs()[1])->rows, 2u);
  EXPECT_TRUE(reader->damage().empty());
}

TEST(Rewrite, SaysWhatWasLost) {
  Bytes bytes;
  write_job(bytes, 77);
  const std::string_view name("files\0", 6);
  const auto header = std::search(bytes.begin(), bytes.end(), name.begin(), name.end());
  *(header + 100) ^= 0xff;  // inside the payload: the name is 16 bytes into a header of 100
  const Outcome outcome = rewritten(bytes);
  ASSERT_TRUE(outcome.result.ok());
  EXPECT_EQ(outcome.result->damage.size(), 1u);
  auto reader = Reader::open_memory(outcome.bytes);
  EXPECT_TRUE(fact(*reader, reader->jobs()[0], "complete").starts_with("no: the log is damaged: "));
}

TEST(Rewrite, SaysThatALogWasNotClosed) {
  Bytes bytes;
  write_job(bytes, 77, false);
  const Outcome outcome = rewritten(bytes);
  auto reader = Reader::open_memory(outcome.bytes);
  EXPECT_TRUE(reader->closed());
  EXPECT_EQ(fact(*reader, reader->jobs()[0], "complete"), "no: the log was not closed: its end may be missing");
}

TEST(Rewrite, RefusesWhatIsNoJobLog) {
  Bytes bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes));
  const uint64_t one[] = {1};
  ASSERT_TRUE(writer->add(TableBuilder("other").u64("x", one)).ok());
  ASSERT_TRUE(writer->close().ok());
  EXPECT_EQ(rewritten(bytes).result.code(), base::Code::kForeign);
}

}  // namespace
}  // namespace headrace::anonymize
