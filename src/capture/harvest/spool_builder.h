// For tests: makes spools in memory as the recorder would leave them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "capture/phase_layout.h"
#include "capture/spool_layout.h"

namespace headrace::capture {

class SpoolBuilder {
 public:
  /// `capacity` bytes are set aside at once, so that references stay good.
  explicit SpoolBuilder(size_t capacity = 1 << 20) : memory_(capacity) {
    used_ = sizeof(Header);
    Header& h = header();
    h.magic = kSpoolMagic;
    h.version = kSpoolVersion;
    h.header_bytes = sizeof(Header);
    h.limit = capacity;
    h.clock = ClockKind::kMonotonic;
    h.ticks[0] = h.monotonic_ns[0] = 1'000'000'000;
    h.ticks[1] = h.monotonic_ns[1] = 2'000'000'000;
    h.boottime_ns = 1'000'000'000;
    h.realtime_ns = 1'700'000'000'000'000'000;
    h.ended = EndKind::kExit;
    h.process_id = 100;
    h.parent_process_id = 99;
  }

  Header& header() { return at<Header>(0); }

  template <typename T>
  T& at(uint32_t offset) {
    return *reinterpret_cast<T*>(memory_.data() + offset);
  }

  uint32_t allocate(size_t bytes) {
    const auto offset = static_cast<uint32_t>(used_);
    used_ += (bytes + 63) / 64 * 64;
    return offset;
  }
  template <typename T>
  uint32_t make() {
    return allocate(sizeof(T));
  }

  uint32_t name(std::string_view text) {
    const uint32_t offset = allocate(sizeof(Name) + text.size());
    at<Name>(offset).length = static_cast<uint32_t>(text.size());
    if (!text.empty()) std::memcpy(memory_.data() + offset + sizeof(Name), text.data(), text.size());
    return offset;
  }

  uint32_t thread() {
    const uint32_t offset = make<ThreadBlock>();
    at<ThreadBlock>(offset).id = ++header().threads;
    at<ThreadBlock>(offset).series_shift = 22;
    at<ThreadBlock>(offset).next = header().first_thread;
    header().first_thread = offset;
    return offset;
  }

  uint32_t record(std::string_view path, RecordKind kind = RecordKind::kFile) {
    const uint32_t offset = allocate(sizeof(Record) + path.size());
    Record& made = at<Record>(offset);
    made.kind = kind;
    made.name_length = static_cast<uint32_t>(path.size());
    if (!path.empty()) std::memcpy(memory_.data() + offset + sizeof(Record), path.data(), path.size());
    made.open_stack = some_stack();
    made.next = header().first_record;
    header().first_record = offset;
    ++header().records;
    return offset;
  }

  uint32_t module(uint16_t id, std::string_view path, std::string_view build_id = {}) {
    const uint32_t offset = make<Module>();
    Module& made = at<Module>(offset);
    made.id = id;
    made.name = path.empty() ? 0 : name(path);
    made.build_id_length = static_cast<uint16_t>(build_id.size());
    if (!build_id.empty()) std::memcpy(made.build_id, build_id.data(), build_id.size());
    made.next = header().first_module;
    header().first_module = offset;
    return offset;
  }

  /// A frame is an address with its module's id in the upper 16 bits.
  uint32_t stack(std::initializer_list<uint64_t> frames) {
    const uint32_t offset = allocate(sizeof(Stack) + frames.size() * sizeof(uint64_t));
    Stack& made = at<Stack>(offset);
    made.depth = static_cast<uint16_t>(frames.size());
    std::memcpy(memory_.data() + offset + sizeof(Stack), frames.begin(), frames.size() * sizeof(uint64_t));
    made.next = header().first_stack;
    header().first_stack = offset;
    return offset;
  }

  uint32_t python(std::string_view file, std::string_view function, uint32_t line) {
    const uint32_t file_name = name(file), function_name = name(function), offset = make<PythonFrame>();
    at<PythonFrame>(offset) = {1, line, file_name, function_name, 0};
    return offset;
  }

  /// What every record was opened by, unless it is told otherwise.
  uint32_t some_stack() {
    if (some_stack_ == 0) {
      module(1, "");
      module(2, "/usr/lib/libc.so.6", "0123456789");
      const uint64_t line = python("/home/me/a.py", "f", 7);
      some_stack_ = stack({uint64_t{1} << kModuleShift | 0x1234, uint64_t{2} << kModuleShift | 0x5678,
                           kPythonModule << kModuleShift | line});
    }
    return some_stack_;
  }

  uint32_t sites(uint32_t record) { return at<Record>(record).sites = make<Sites>(); }

  uint32_t shard(uint32_t record) {
    const uint32_t offset = make<Shard>();
    at<Shard>(offset).record = record;
    at<Shard>(offset).next = at<Record>(record).first_shard;
    at<Record>(record).first_shard = offset;
    return offset;
  }

  uint32_t direction(uint32_t shard, uint32_t which) {
    const uint32_t offset = make<Direction>();
    at<Direction>(offset).shard = shard;
    at<Shard>(shard).directions[which] = offset;
    return offset;
  }

  uint32_t detail(uint32_t direction) { return at<Direction>(direction).detail = make<Detail>(); }

  uint32_t metadata(uint32_t shard) {
    const uint32_t offset = make<Metadata>();
    at<Metadata>(offset).next = at<Shard>(shard).metadata;
    return at<Shard>(shard).metadata = offset;
  }

  uint32_t function_sums(uint64_t calls) {
    const uint32_t offset = make<FunctionSums>();
    auto& sums = at<FunctionSums>(offset);
    sums.rows = 2;
    sums.of[0] = {calls, 0, calls * 4096, calls * 500, 0, 3, kMovesWrite, 0, {}};
    sums.of[1] = {calls, 1, 0, calls * 100, 0, kLibraryFunction | 1, 0, 0, {}};
    return offset;
  }

  uint32_t size_sums(uint64_t count) {
    const uint32_t offset = make<SizeSums>();
    auto& sums = at<SizeSums>(offset);
    sums.rows = 1;
    sums.of[0] = {count, 80, 0, 1, 0};
    return offset;
  }

  uint32_t phase_series(uint64_t start) {
    const uint32_t offset = make<PhaseSeries>();
    auto& series = at<PhaseSeries>(offset);
    series.start = start, series.shift = 20, series.bytes[2][kWriteFlow] = 4096;
    return offset;
  }

  /// A phase with two finished instances of which one is kept whole, and a third one that is open.
  uint32_t phase(std::string_view path) {
    const uint32_t offset = make<Phase>(), path_name = name(path), instance = make<PhaseInstance>();
    auto& one = at<PhaseInstance>(instance);
    one.number = 1, one.begin = 1'100'000'000, one.end = 1'200'000'000;
    one.functions = function_sums(5), one.sizes = size_sums(5), one.series = phase_series(1'100'000'000);
    const uint32_t functions = function_sums(7), sizes = size_sums(7);
    auto& phase = at<Phase>(offset);
    phase.name = path_name, phase.next = header().first_phase, phase.begun = 3, phase.finished = 2;
    phase.time = 150'000'000, phase.least = 50'000'000, phase.most = 100'000'000, phase.slowest = 1;
    phase.mean = 75'000'000, phase.deviations = 1.25e15;
    phase.first_begin = 1'100'000'000, phase.last_end = 1'300'000'000;
    phase.functions = functions, phase.sizes = sizes, phase.first_instance = instance, phase.kept = 1;
    header().first_phase = offset;
    return offset;
  }

  uint32_t open_phase(uint32_t phase) {
    const uint32_t offset = make<OpenPhase>(), functions = function_sums(1);
    auto& open = at<OpenPhase>(offset);
    open.phase = phase, open.number = 3, open.begin = 1'400'000'000, open.functions = functions;
    open.series.start = open.begin, open.series.shift = 20, open.series.bytes[0][kWriteFlow] = 100;
    header().open_phases[header().open_phase_count++] = offset;
    return offset;
  }

  /// A copy of what is used so far.
  std::vector<std::byte> finish() {
    header().used = header().grown = used_;
    return {memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(used_)};
  }

 private:
  std::vector<std::byte> memory_;
  size_t used_;
  uint32_t some_stack_ = 0;
};

/// One of everything: two files (one renamed, two threads), a roll-up, a pipe, excluded paths, profiles, a series,
/// phases.
inline std::vector<std::byte> sample_spool() {
  SpoolBuilder b;
  Header& h = b.header();
  h.executable = b.name("/usr/bin/program");
  h.arguments = b.name(std::string_view("program\0-v\0", 11));
  h.working_directory = b.name("/data");
  h.exclusion_rules = b.name(std::string_view("/usr/\0/etc/\0", 12));
  const uint32_t t1 = b.thread(), t2 = b.thread();
  const uint32_t file = b.record("/data/out.tmp");
  b.at<Record>(file).final_name = b.name("/data/out.h5");
  b.at<Record>(file).last_close = 1'900'000'000;
  for (uint32_t thread : {t1, t2}) {
    const uint32_t shard = b.shard(file);
    b.at<Shard>(shard).thread = static_cast<uint16_t>(b.at<ThreadBlock>(thread).id);
    b.at<Shard>(shard).opens = b.at<Shard>(shard).closes = 1;
    b.at<Shard>(shard).first_open = 1'100'000'000;
    b.at<Shard>(shard).switches = 1;
    const uint32_t d = b.direction(shard, kWrite);
    Direction& w = b.at<Direction>(d);
    w.run_count = 10, w.run_size = 4096, w.run_gap = 0, w.last_end = 40960;
    w.time = 5000, w.max_time = 900, w.max_time_size = 4096;
    w.first_time = 1'200'000'000, w.last_time = 1'300'000'000;
    w.zeros = 1;
    Detail& detail = b.at<Detail>(b.detail(d));
    detail.operations = 3, detail.bytes = 300, detail.consecutive = 1, detail.forward = 2;
    detail.histogram[7] = 3;
    detail.common_size[0] = 100, detail.common_size_count[0] = 3;
    detail.stride[0] = 512, detail.stride_count[0] = 2;
    b.at<Metadata>(b.metadata(shard)).count[Metadata::kSeeks] = 2;
    b.at<Sites>(b.sites(file)).of[uint32_t{Sites::kSlowest} + kWrite] = {900, 1'250'000'000, 4096, b.some_stack(), 0};
    ThreadBlock& block = b.at<ThreadBlock>(thread);
    block.series[3].bytes[kWrite] = 41260;
    block.series[3].operations[kWrite] = 11;
    const uint32_t profile = b.make<Profile>();
    b.at<Profile>(profile).calls = 14, b.at<Profile>(profile).bytes = 41260, b.at<Profile>(profile).time = 5000;
    block.profiles[3] = profile;
    const uint32_t excluded = b.make<Excluded>();
    b.at<Excluded>(excluded).opens = 2, b.at<Excluded>(excluded).operations[kRead] = 5;
    b.at<Excluded>(excluded).bytes[kRead] = 500;
    block.excluded[1] = excluded;
  }
  const uint32_t bins = b.make<FineSizes>();
  b.at<FineSizes>(bins).count[80] = 22;
  b.at<ThreadBlock>(t1).sizes[0][kWrite].bins = bins;
  b.open_phase(b.phase("step/dump"));
  const uint32_t pipe = b.record("pipe:[17]", RecordKind::kPipe);
  Direction& r = b.at<Direction>(b.direction(b.shard(pipe), kRead));
  r.run_count = 4, r.run_size = 16;
  const uint32_t rollup = b.record("/data/small/*", RecordKind::kDirectoryRollup);
  b.at<Metadata>(b.metadata(b.shard(rollup))).count[Metadata::kFoldedFiles] = 5000;
  return b.finish();
}

}  // namespace headrace::capture
