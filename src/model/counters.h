// The counters of a file record as numbers, with what counters.def says about each.
//
// Constants only: safe anywhere. The source of every name, unit, merge rule and sentence is counters.def.
#pragma once
#include <cstdint>
#include <string_view>

namespace headrace::model {

namespace counter {
enum Index : uint32_t {
#define COUNTER(name, unit, merge, doc) name,
#define FLAG(name, bit, doc)
#include "model/counters.def"
#undef COUNTER
#undef FLAG
  kCount
};
}  // namespace counter

/// Bits of the counter `flags`.
namespace flag {
enum Bit : uint64_t {
#define COUNTER(name, unit, merge, doc)
#define FLAG(name, bit, doc) name = uint64_t{1} << bit,
#include "model/counters.def"
#undef COUNTER
#undef FLAG
};
}  // namespace flag

enum class Unit : uint8_t { count, bytes, ns, at_ns, flags };

enum class MergeKind : uint8_t { kSum, kMax, kFirst, kLast, kBits, kWith };

/// How two values of a counter become one; `with` names the deciding counter of kWith.
struct MergeRule {
  MergeKind kind;
  counter::Index with = counter::kCount;
};

struct CounterInfo {
  std::string_view name;
  Unit unit;
  MergeRule merge;
  std::string_view doc;
};

struct FlagInfo {
  std::string_view name;
  uint32_t bit;
  std::string_view doc;
};

namespace counters_internal {
using namespace counter;
inline constexpr MergeRule sum{MergeKind::kSum}, max{MergeKind::kMax}, first{MergeKind::kFirst}, last{MergeKind::kLast},
    bits{MergeKind::kBits};
constexpr MergeRule with(counter::Index decider) { return {MergeKind::kWith, decider}; }

#define COUNTER(name, unit, merge, doc) CounterInfo{#name, Unit::unit, merge, doc},
#define FLAG(name, bit, doc)
inline constexpr CounterInfo kTable[] = {
#include "model/counters.def"
};
#undef COUNTER
#undef FLAG

#define COUNTER(name, unit, merge, doc)
#define FLAG(name, bit, doc) FlagInfo{#name, bit, doc},
inline constexpr FlagInfo kFlagTable[] = {
#include "model/counters.def"
};
#undef COUNTER
#undef FLAG
}  // namespace counters_internal

/// In the order of counters.def, which is the order of the columns of a job log.
inline constexpr const auto& kCounters = counters_internal::kTable;
inline constexpr const auto& kFlags = counters_internal::kFlagTable;

}  // namespace headrace::model
