#pragma once
// Small Darshan logs for tests and as seeds of the fuzzer: of each format, byte order and compression.

#include <bzlib.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "convert/darshan/header.h"

namespace headrace::convert::darshan {

struct Sample {
  unsigned minor = 41;
  bool swap = false;
  Compression compression = Compression::kNone;
  uint64_t partial = 0;
};

/// Bytes in the byte order of a sample.
class SampleBytes {
 public:
  explicit SampleBytes(bool swap) : swap_(swap) {}
  SampleBytes& u64(uint64_t value) { return raw(swap_ ? __builtin_bswap64(value) : value); }
  SampleBytes& u32(uint32_t value) { return raw(swap_ ? __builtin_bswap32(value) : value); }
  SampleBytes& f64(double value) { return u64(std::bit_cast<uint64_t>(value)); }
  SampleBytes& text(std::string_view text, size_t room) {
    const size_t at = bytes.size();
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.resize(at + room);
    return *this;
  }
  std::vector<uint8_t> bytes;

 private:
  template <typename T>
  SampleBytes& raw(T value) {
    const size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return *this;
  }
  bool swap_;
};

inline uint32_t sample_version(const Sample& sample, Module module) {
  const bool old = sample.minor < 20, middle = sample.minor < 41;
  switch (module) {
    case Module::kPosix:
      return sample.minor == 0 ? 1 : old ? 2 : middle ? 3 : 4;
    case Module::kMpiio:
      return old ? 1 : middle ? 2 : 3;
    case Module::kH5f:
    case Module::kPnetcdfFile:
    case Module::kDxtMpiio:
      return old ? 1 : middle ? 2 : 3;
    case Module::kHeatmap:
    case Module::kPnetcdfVar:
    case Module::kApxc:
    case Module::kApmpi:
      return 1;
    default:
      return old || (middle && module != Module::kStdio) ? 1 : 2;
  }
}

/// Words of one record: an id, a rank, and then 1, 2, 3 … — as doubles behind the counters.
inline void put_sample_record(SampleBytes& out, const Layout& layout, uint32_t version, uint64_t id, int64_t rank) {
  const size_t words = stored_bytes(layout, version) / 8 - 2;
  size_t reals = layout.reals;
  if (layout.module == Module::kPosix || layout.module == Module::kMpiio) reals = version < 3 ? 15 : 17;
  if (layout.module == Module::kH5f) reals = version == 1 ? 2 : version == 2 ? 4 : 5;
  if (layout.module == Module::kPnetcdfFile) reals = version == 1 ? 2 : version == 2 ? 4 : 8;
  out.u64(id).u64(static_cast<uint64_t>(rank));
  for (size_t i = 0; i < words; ++i) {
    // Version 1 of POSIX: a record with calls on streams would be left out.
    const bool stream = layout.module == Module::kPosix && version == 1 && i >= 6 && i < 10;
    if (i + reals < words) {
      out.u64(stream ? 0 : i + 1);
    } else {
      out.f64(static_cast<double>(i + 1) / 8);
    }
  }
}

inline void put_sample_module(SampleBytes& out, const Sample& sample, Module module) {
  const uint32_t version = sample_version(sample, module);
  if (const Layout* layout = layout_of(module)) {
    put_sample_record(out, *layout, version, 11, 0);
    put_sample_record(out, *layout, version, 12, -1);
  } else if (module == Module::kLustre && version == 1) {
    out.u64(11).u64(0).u64(9).u64(1).u64(0).u64(1 << 20).u64(2).u64(5).u64(6);
  } else if (module == Module::kLustre) {
    out.u64(11).u64(0).u64(1).u64(2);
    for (const uint64_t value :
         {uint64_t{1} << 20, uint64_t{2}, uint64_t{0}, uint64_t{0}, uint64_t{0}, ~uint64_t{0}, uint64_t{0}})
      out.u64(value);
    out.text("pool", 16).u64(5).u64(6);
  } else if (module == Module::kHeatmap) {
    out.u64(13).u64(0).f64(0.5).u64(2).u64(0).u64(0).u64(100).u64(0).u64(0).u64(200);
  } else if (module == Module::kDxtPosix || module == Module::kDxtMpiio) {
    const bool threads = module == Module::kDxtPosix ? version >= 2 : version >= 3;
    out.u64(11).u64(0).u64(0).text("node1", 64).u64(2).u64(1);
    for (uint64_t i = 0; i < 3; ++i) {
      out.u64(i * 4096).u64(4096).f64(0.25 * static_cast<double>(i + 1)).f64(0.25 * static_cast<double>(i + 1) + 0.125);
      if (threads) out.u64(77);
    }
  } else if (module == Module::kApmpi) {
    out.u64(14).u64(0).u64(0x41504D5049).u32(1).u32(0).f64(0.5).f64(0.25);
    out.u64(14).u64(0);
    for (uint64_t i = 0; i < 396; ++i) out.u64(i);
    for (uint64_t i = 0; i < 240; ++i) out.f64(0.25 * static_cast<double>(i));
    out.text("node1", 128);
  } else if (module == Module::kApxc) {
    out.u64(15).u64(0).u64(0x4155544F50455246);
    for (uint64_t i = 0; i < 6; ++i) out.u64(i);
    out.u64(15).u64(0);
    for (uint64_t i = 0; i < 396; ++i) out.u64(i);
  } else {
    out.text("records of another kind", 32);
  }
}

inline std::vector<uint8_t> sample_stream(Compression compression, base::Bytes bytes) {
  std::vector<uint8_t> packed(2 * bytes.size() + 1000);
  if (compression == Compression::kBzip2) {
    auto length = static_cast<unsigned>(packed.size());
    auto* from = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(packed.data()), &length, from, static_cast<unsigned>(bytes.size()),
                             1, 0, 0);
    packed.resize(length);
  } else {
    uLongf length = packed.size();
    compress(packed.data(), &length, bytes.data(), bytes.size());
    packed.resize(length);
  }
  return packed;
}

/// In two streams, as when two processes have written.
inline std::vector<uint8_t> sample_compressed(const Sample& sample, const std::vector<uint8_t>& bytes) {
  if (sample.compression == Compression::kNone) return bytes;
  const base::Bytes all(bytes);
  std::vector<uint8_t> packed = sample_stream(sample.compression, all.subspan(0, bytes.size() / 2));
  const std::vector<uint8_t> rest = sample_stream(sample.compression, all.subspan(bytes.size() / 2));
  packed.insert(packed.end(), rest.begin(), rest.end());
  return packed;
}

inline std::vector<uint8_t> sample_job(const Sample& sample) {
  SampleBytes out(sample.swap);
  const bool fine = sample.minor >= 41;
  out.u64(1000).u64(1'700'000'000);
  if (fine) out.u64(5);
  out.u64(1'700'000'002);
  if (fine) out.u64(6);
  out.u64(2).u64(4242).text("lib_ver=3.4.7\n", 1024).text("/bin/simulate -n 2\next4\t/\nlustre\t/scratch", 200);
  return out.bytes;
}

inline std::vector<uint8_t> sample_names(const Sample& sample) {
  SampleBytes out(sample.swap);
  const std::pair<uint64_t, std::string_view> names[] = {
      {11, "/scratch/a"}, {12, "/scratch/b:/group/d"}, {13, "heatmap:POSIX"}};
  for (const auto& [id, name] : names) {
    out.u64(id);
    if (sample.minor == 0) {
      out.u32(static_cast<uint32_t>(name.size())).text(name, name.size());
    } else {
      out.text(name, name.size() + 1);
    }
  }
  return out.bytes;
}

inline std::vector<uint8_t> sample_log(const Sample& sample) {
  const bool wide = sample.minor >= 41;
  const size_t places = wide ? kModules : 16;
  std::vector<uint8_t> file(wide ? kHeaderBytes : kOldHeaderBytes);
  std::vector<Region> regions(places + 1);
  std::vector<uint32_t> versions(places);
  const auto add = [&](const std::vector<uint8_t>& bytes) {
    const std::vector<uint8_t> packed = sample_compressed(sample, bytes);
    const Region region{file.size(), packed.size()};
    file.insert(file.end(), packed.begin(), packed.end());
    return region;
  };
  add(sample_job(sample));
  regions[0] = add(sample_names(sample));
  size_t place = 1;
  for (size_t number = 1; number <= static_cast<size_t>(Module::kDaos) && place < places; ++number) {
    const auto module = static_cast<Module>(number);
    if (module == Module::kH5d && sample.minor < 20) continue;
    if (module == Module::kPnetcdfVar && sample.minor < 41) continue;
    SampleBytes records(sample.swap);
    put_sample_module(records, sample, module);
    versions[place] = sample_version(sample, module);
    regions[++place] = add(records.bytes);
  }
  SampleBytes header(sample.swap);
  const std::string minor = std::to_string(sample.minor);
  header.text("3." + (minor.size() == 1 ? "0" + minor : minor), 8).u64(kMagic);
  header.text(std::string(1, static_cast<char>(sample.compression)), wide ? 8 : 4);
  if (wide) header.u64(sample.partial);
  if (!wide) header.u32(static_cast<uint32_t>(sample.partial));
  for (size_t i = 0; i < regions.size(); ++i) header.u64(regions[i].offset).u64(regions[i].length);
  for (const uint32_t version : versions) header.u32(version);
  std::memcpy(file.data(), header.bytes.data(), header.bytes.size());
  return file;
}

}  // namespace headrace::convert::darshan
