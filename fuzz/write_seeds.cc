// Writes the seeds of the format's fuzz targets: `write_seeds <directory>` fills <directory>/<target>/.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "capture/harvest/elf_builder.h"
#include "capture/harvest/lustre_layout_builder.h"
#include "capture/harvest/spool_builder.h"
#include "collect/devices/sample_rows.h"
#include "collect/scan/made_state.h"
#include "convert/darshan/sample_log.h"
#include "events/encode.h"
#include "events/made_streams.h"
#include "events/test_batch.h"
#include "events/trace_writer.h"
#include "format/encode.h"
#include "format/random_table.h"
#include "format/writer.h"
#include "forward/protocol/codec.h"
#include "forward/protocol/handle.h"
#include "forward/protocol/secret.h"

using namespace headrace::format;

namespace {

bool store(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && whole;
}

/// A log with a table or two and a chunk of an unknown kind, behind the byte that has checksums healed.
std::vector<uint8_t> log_seed(uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes{1};
  std::vector<uint8_t> log;
  auto writer = Writer::open(std::make_unique<MemorySink>(log), {.job = seed + 1, .chunk_rows = 4});
  for (const char* name : {"job", "files"}) {
    const RandomTable table = random_table(random, name, random.below(8));
    if (!writer->add(table.builder()).ok()) return {};
  }
  ChunkHeader header;
  header.kind = kind_of("EVNT");
  const std::vector<uint8_t> payload{1, 2, 3};
  if (seed % 2 == 0 && !writer->add_chunk(header, payload).ok()) return {};
  if (seed % 3 != 0 && !writer->close().ok()) return {};  // some without an index
  bytes.insert(bytes.end(), log.begin(), log.end());
  return bytes;
}

/// A few events of one of three programs, behind their number.
std::vector<uint8_t> events_seed(uint64_t seed) {
  using headrace::events::MadeStream;
  const size_t count = 20 + 30 * seed;
  const auto made = seed % 3 == 0   ? MadeStream::s3d(count)
                    : seed % 3 == 1 ? MadeStream::regular(count)
                                    : MadeStream::random(count);
  std::vector<uint8_t> bytes;
  headrace::base::ByteWriter(bytes).u16(static_cast<uint16_t>(count));
  headrace::events::EventEncoder encoder;
  headrace::events::OpenRegions open;
  if (seed > 2) open.enter(3);
  if (!encoder.encode(headrace::events::References(200).batch(made), open, bytes).ok()) return {};
  return bytes;
}

/// A trace of two threads with messages and names, behind its two bytes.
std::vector<uint8_t> trace_seed(uint64_t seed) {
  using headrace::events::MadeStream;
  std::vector<uint8_t> bytes{1, static_cast<uint8_t>(40 * seed)}, trace;
  auto writer = headrace::events::TraceWriter::open(std::make_unique<MemorySink>(trace), seed + 1);
  std::vector<headrace::events::Reference> references;
  for (uint64_t i = 0; i < 200; ++i)
    references.push_back({i + 1, i % 3 ? "function" : "region", "posix", "f" + std::to_string(i),
                          static_cast<headrace::model::TimeClass>(i % headrace::model::kTimeClasses)});
  const size_t count = 5 + 20 * seed;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    const auto made = seed % 2 ? MadeStream::s3d(count) : MadeStream::random(count);
    const headrace::events::Location location{rank + 5, 1, static_cast<int32_t>(rank), "host", 7, seed % 3};
    if (!writer->add(location, made, references, static_cast<uint8_t>(seed % 4)).ok()) return {};
  }
  if (!writer->add(std::vector<headrace::events::Handle>{{5, 1, "/a"}, {6, 2, "/b"}}).ok()) return {};
  if (!writer->add_facts({{"command", "[\"a\"]"}}).ok()) return {};
  using headrace::events::ClockRow;
  const std::vector<ClockRow> clocks = {{5, 1, "start", 100, 1000, 9000, 0},
                                        {5, 1, "MPI_Init", 150, 1050, 9050, 0, 5, 0, 0},
                                        {6, 2, "start", 90, 70'000, 9100, 0},
                                        {6, 2, "MPI_Init", 120, 70'030, 9150, 0, 5, -69'000, 20},
                                        {6, 2, "MPI_Finalize", 900'120, 970'030, 909'150, 0, 5, -68'900, 20}};
  if (seed % 2 == 0 && !writer->add(std::span(clocks)).ok()) return {};
  if (seed % 3 == 2 ? !writer->flush().ok() : !writer->close().ok()) return {};
  bytes.insert(bytes.end(), trace.begin(), trace.end());
  return bytes;
}

std::vector<uint8_t> payload_seed(uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes;
  headrace::base::ByteWriter out(bytes);
  for (int i = 0; i < 3; ++i) {
    const RandomTable table = random_table(random, "t", random.below(6));
    const TableBuilder builder = table.builder();
    const std::vector<uint8_t> payload = TableEncoder(builder, i % 2 == 1).payload(0, table.rows);
    out.u16(static_cast<uint16_t>(table.rows));
    out.u16(static_cast<uint16_t>(payload.size()));
    out.append(payload);
  }
  return bytes;
}

std::vector<uint8_t> spool_seed() {
  const std::vector<std::byte> spool = headrace::capture::sample_spool();
  const auto* first = reinterpret_cast<const uint8_t*>(spool.data());
  return {first, first + spool.size()};
}

bool store_darshan(const std::string& directory) {
  using headrace::convert::darshan::Compression;
  bool stored = true;
  for (const unsigned minor : {0u, 10u, 20u, 41u}) {
    for (const bool swap : {false, true}) {
      const auto compression = minor == 41 && swap ? Compression::kZlib : Compression::kNone;
      const std::string name = std::to_string(minor) + (swap ? "-big" : "-little");
      stored &=
          store(directory + "/" + name,
                headrace::convert::darshan::sample_log({.minor = minor, .swap = swap, .compression = compression}));
    }
  }
  return stored;
}

bool store_lustre(const std::string& directory) {
  using headrace::capture::composite_layout;
  using headrace::capture::plain_layout;
  const auto first = plain_layout({1 << 20, 1, {3}, "", 1}), rest = plain_layout({4 << 20, 2, {4, 5}, "flash", 1});
  return store(directory + "/plain", first) && store(directory + "/pool", rest) &&
         store(directory + "/released", plain_layout({1 << 20, 4, {}, "", 0x80000001})) &&
         store(directory + "/composite", composite_layout({{1, 0x10, 0, 1 << 20, first},
                                                           {2, 0x10, 1 << 20, 1 << 30, rest},
                                                           {3, 0, 1 << 30, UINT64_MAX, plain_layout({})}}));
}

/// A state with something of everything, and one of a scan that has just begun, behind the byte that has checksums
/// healed.
bool store_scans(const std::string& directory) {
  using namespace headrace::collect;
  for (const bool full : {false, true}) {
    const std::string path = directory + (full ? "/full" : "/begun");
    ScanState state = full ? made_state() : ScanState();
    if (!full) state.settings.roots = {"/a"};
    Pending pending(directory);
    if (!(full ? fill(pending) : pending.push(0, "", std::string(1, '\0'))).ok()) return false;
    if (!write_state(path, state, &pending).ok()) return false;
    std::vector<uint8_t> bytes{1};
    std::ifstream file(path, std::ios::binary);
    bytes.insert(bytes.end(), std::istreambuf_iterator<char>(file), {});
    if (!store(path, bytes)) return false;
  }
  return true;
}

/// A file that has two samples, and a tail with the second and a third.
bool store_samples(const std::string& directory) {
  using namespace headrace::collect;
  std::vector<uint8_t> file, tail;
  for (auto* bytes : {&file, &tail}) {
    auto writer = Writer::open(std::make_unique<MemorySink>(*bytes), {.job = 7, .compress = bytes == &file});
    if (!writer.ok()) return false;
    for (uint64_t tick = bytes == &file ? 1 : 2; tick <= (bytes == &file ? 2U : 3U); ++tick) {
      Rows rows;
      for (const char* device : {"sda", "sdb"}) {
        rows.samples.kind.emplace_back("block");
        rows.samples.device.emplace_back(device);
        rows.samples.times.add(tick, 1'000'000, 2'000'000);
        for (auto& column : rows.samples.counters) column.push_back(static_cast<int64_t>(tick * 1000));
      }
      rows.gaps.device = {"sda"};
      rows.gaps.reason = {"missed"};
      rows.gaps.times.add(tick, 1'000'000, 2'000'000);
      if (!add_rows(*writer, rows, "host", "boot").ok()) return false;
    }
  }
  std::vector<uint8_t> bytes{1, static_cast<uint8_t>(file.size()), static_cast<uint8_t>(file.size() >> 8)};
  bytes.insert(bytes.end(), file.begin(), file.end());
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return store(directory + "/two", bytes);
}

/// A request and an answer of every call.
bool store_forward(const std::string& directory) {
  using namespace headrace::forward;
  bool stored = true;
  for (uint8_t i = 0; i < kReplyBit; ++i) {
    if (!is_op(i)) continue;
    Request request;
    Reply reply;
    Header header;
    request.op = reply.op = static_cast<Op>(i);
    request.name = "name", request.other_name = "other";
    const std::vector<uint8_t> handle(40, 7);
    request.handle = request.other_handle = reply.handle = handle;
    request.extents = {{0, 3}, {100, 2}};
    if (request.op == Op::kAppend) request.size = 5;
    if (request.op == Op::kRead || request.op == Op::kWrite || request.op == Op::kAppend) header.data = 5;
    reply.counts = {3, 1};
    reply.bad = {{28, {5, 6}}};
    reply.entries = {{1, 2, 8, "entry"}};
    reply.roots = {{"/root", handle}};
    std::vector<uint8_t> frame;
    encode_request(header, request, &frame);
    stored &= store(directory + "/" + op_name(request.op), frame);
    encode_reply({}, reply, &frame);
    stored &= store(directory + "/" + op_name(request.op) + "-answer", frame);
  }
  return stored;
}

void say(headrace::forward::Request request, uint64_t id, const std::string& data, std::vector<uint8_t>* all) {
  using namespace headrace::forward;
  Header header;
  header.id = id;
  header.data = static_cast<uint32_t>(data.size());
  if (request.op == Op::kRead) header.data = static_cast<uint32_t>(total(request.extents));
  std::vector<uint8_t> frame;
  encode_request(header, request, &frame);
  all->insert(all->end(), frame.begin(), frame.end());
  all->insert(all->end(), data.begin(), data.end());
}

/// Every call in a conversation of its own, about the root and about the file that the target knows, and all in one.
bool store_conversations(const std::string& directory) {
  using namespace headrace::forward;
  const std::vector<uint8_t> root = HandleMaker(derive({}, "handles")).make({.type = 4}), file(37, 'F');
  std::vector<uint8_t> all{3 + 4 * 60}, start{1};
  for (auto* bytes : {&all, &start}) {
    Request hello;
    hello.op = Op::kHello;
    hello.oldest = hello.newest = kVersion;
    hello.size = 1 << 20;
    say(hello, 1, "", bytes);
    hello.op = Op::kProve;
    say(hello, 2, "", bytes);
  }
  bool stored = true;
  uint64_t id = 3;
  for (uint8_t i = 0; i < kReplyBit; ++i) {
    if (!is_op(i) || i == static_cast<uint8_t>(Op::kHello) || i == static_cast<uint8_t>(Op::kProve)) continue;
    for (const auto& [handle, name] : {std::pair{root, "root"}, {file, "file"}}) {
      Request request;
      request.op = static_cast<Op>(i);
      request.handle = request.other_handle = handle;
      request.name = "f", request.other_name = "g";
      request.mode = 0644, request.count = 4096, request.size = 5;
      request.flags = request.op == Op::kLock ? kShared : request.op == Op::kHeld ? kCut : 0;
      request.extents = {{0, 3}, {100, 2}};
      const bool carries = request.op == Op::kWrite || request.op == Op::kAppend;
      std::vector<uint8_t> bytes = start;
      for (auto* each : {&bytes, &all}) say(request, id, carries ? "bytes" : "", each);
      ++id;
      stored &= store(directory + "/" + op_name(request.op) + "-" + name, bytes);
    }
  }
  return stored && store(directory + "/all", all);
}

/// An address and a program with two functions, with a build id and without.
bool store_elf(const std::string& directory) {
  const std::vector<headrace::capture::ElfFunction> functions{{"late", 0x40, 0x10}, {"_ZN4wave4stepEi", 0x10, 0x20}};
  bool stored = true;
  for (const bool has_id : {false, true}) {
    using Bytes = std::vector<uint8_t>;
    const Bytes file = headrace::capture::ElfBuilder(functions, has_id ? Bytes{'h', 'e', 'a', 'd'} : Bytes{}).whole();
    Bytes bytes;
    headrace::base::ByteWriter(bytes).u64(0x14);
    bytes.insert(bytes.end(), file.begin(), file.end());
    stored &= store(directory + (has_id ? "/with-id" : "/without-id"), bytes);
  }
  return stored;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: write_seeds <directory>\n");
    return 2;
  }
  const std::string directory = arguments[1];
  std::error_code error;
  std::filesystem::create_directories(directory + "/chunk_file", error);
  std::filesystem::create_directories(directory + "/table_payload", error);
  std::filesystem::create_directories(directory + "/spool", error);
  std::filesystem::create_directories(directory + "/darshan", error);
  std::filesystem::create_directories(directory + "/elf_functions", error);
  std::filesystem::create_directories(directory + "/lustre_layout", error);
  std::filesystem::create_directories(directory + "/left_samples", error);
  std::filesystem::create_directories(directory + "/scan_state", error);
  std::filesystem::create_directories(directory + "/events", error);
  std::filesystem::create_directories(directory + "/trace", error);
  std::filesystem::create_directories(directory + "/forward_messages", error);
  std::filesystem::create_directories(directory + "/forward_connection", error);
  bool stored = store_darshan(directory + "/darshan") && store_lustre(directory + "/lustre_layout") &&
                store_elf(directory + "/elf_functions") && store_scans(directory + "/scan_state") &&
                store_samples(directory + "/left_samples") && store(directory + "/spool/sample", spool_seed()) &&
                store_forward(directory + "/forward_messages") &&
                store_conversations(directory + "/forward_connection");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    stored &= store(directory + "/chunk_file/log-" + std::to_string(seed), log_seed(seed));
    stored &= store(directory + "/table_payload/payloads-" + std::to_string(seed), payload_seed(seed));
  }
  for (uint64_t seed = 0; seed < 6; ++seed)
    stored &= store(directory + "/events/events-" + std::to_string(seed), events_seed(seed));
  for (uint64_t seed = 0; seed < 6; ++seed)
    stored &= store(directory + "/trace/trace-" + std::to_string(seed), trace_seed(seed));
  if (!stored)
    std::fprintf(stderr, "write_seeds: cannot write below %s: choose a directory you may write to\n", arguments[1]);
  return stored ? 0 : 1;
}
