// What a file system costs, in numbers: what libheadrace-emulate.so is told and a profile says. Plain values; 0 always
// means that this costs nothing, or has no limit.
#pragma once
#include <cstdint>
#include <cstring>

namespace headrace::workload::emulation {

struct Constants {
  // ns of each call by itself
  uint64_t read = 0, write = 0, sync = 0;
  // ns: on the way to whoever serves metadata, and in that service, which does one call after the other
  uint64_t metadata_latency = 0;
  uint64_t create = 0, open = 0, close = 0, stat = 0, unlink = 0, rename = 0, mkdir = 0, rmdir = 0;
  uint64_t queue_per_directory = 0;  // 1: one service for each directory instead of one for all
  // bytes a second: of all processes together, of each
  uint64_t read_bandwidth = 0, write_bandwidth = 0, process_read_bandwidth = 0, process_write_bandwidth = 0;
  // bytes that one lock covers, and ns until another process has given it up
  uint64_t lock_block = 0, lock_conflict = 0;
  uint64_t file_system = 0;  // the magic number by which statfs knows it, or 0: that of the one that is there

  bool operator==(const Constants&) const = default;
};

enum class Unit : uint8_t { kTime, kRate, kSize, kQueue, kSystem };

struct Constant {
  const char* section;
  const char* key;
  Unit unit;
  uint64_t Constants::* place;
};

/// The one list of them, in the order in which they are handed on.
inline constexpr Constant kConstants[] = {
    {"latency", "read", Unit::kTime, &Constants::read},
    {"latency", "write", Unit::kTime, &Constants::write},
    {"latency", "sync", Unit::kTime, &Constants::sync},
    {"metadata", "latency", Unit::kTime, &Constants::metadata_latency},
    {"metadata", "create", Unit::kTime, &Constants::create},
    {"metadata", "open", Unit::kTime, &Constants::open},
    {"metadata", "close", Unit::kTime, &Constants::close},
    {"metadata", "stat", Unit::kTime, &Constants::stat},
    {"metadata", "unlink", Unit::kTime, &Constants::unlink},
    {"metadata", "rename", Unit::kTime, &Constants::rename},
    {"metadata", "mkdir", Unit::kTime, &Constants::mkdir},
    {"metadata", "rmdir", Unit::kTime, &Constants::rmdir},
    {"metadata", "queue", Unit::kQueue, &Constants::queue_per_directory},
    {"bandwidth", "read", Unit::kRate, &Constants::read_bandwidth},
    {"bandwidth", "write", Unit::kRate, &Constants::write_bandwidth},
    {"bandwidth", "process_read", Unit::kRate, &Constants::process_read_bandwidth},
    {"bandwidth", "process_write", Unit::kRate, &Constants::process_write_bandwidth},
    {"locks", "block", Unit::kSize, &Constants::lock_block},
    {"locks", "conflict", Unit::kTime, &Constants::lock_conflict},
    {"system", "type", Unit::kSystem, &Constants::file_system},
};
/// Where in kConstants a member is.
constexpr unsigned index_of(uint64_t Constants::* place) {
  unsigned index = 0;
  while (kConstants[index].place != place) ++index;
  return index;
}
inline constexpr uint64_t kLustre = 0x0bd00bd0, kGpfs = 0x47504653;
inline constexpr uint64_t kMostTime = 60'000'000'000, kMostAmount = uint64_t{1} << 50, kLeastBlock = 4096;

/// Most that a constant of this unit may be, so that no sum of a few overflows.
constexpr uint64_t most_of(Unit unit) {
  return unit == Unit::kTime ? kMostTime : unit == Unit::kQueue ? 1 : kMostAmount;
}

/// "1,200000,200000,0,…": a version and the constants in order. False: it is something else, and `constants` is as
/// it was. Allocates nothing.
inline bool read_handed_on(const char* text, Constants* constants) {
  Constants read;
  const char* at = text;
  const auto number = [&at](uint64_t* value, uint64_t most) {
    const char* begin = at;
    for (*value = 0; *at >= '0' && *at <= '9' && *value <= most; ++at) *value = *value * 10 + (*at - '0');
    return at > begin && *value <= most;
  };
  uint64_t version = 0;
  if (text == nullptr || !number(&version, 1) || version != 1) return false;
  for (const Constant& each : kConstants) {
    if (*at++ != ',' || !number(&(read.*each.place), most_of(each.unit))) return false;
  }
  if (*at != '\0' || (read.lock_block != 0 && read.lock_block < kLeastBlock)) return false;
  *constants = read;
  return true;
}

}  // namespace headrace::workload::emulation
