#pragma once
// The records of AutoPerf's modules APMPI (calls of MPI, by rank) and APXC (routers of a Cray XC). Constants only.
// The layout is a fact of AutoPerf's darshan-apmpi-log-format.h and darshan-apxc-log-format.h, version 1 of both.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/darshan/layout.h"

namespace headrace::convert::darshan {

struct Field {
  enum class Kind : uint8_t { kU64, kI64, kF64, kU32, kText };  // kU32: with four bytes behind it that mean nothing
  std::string name;
  Kind kind;
  size_t bytes = 8;
};

/// A module whose region has a header record, then records that are all alike. Both begin with an id and a rank.
struct AutoPerf {
  Module module;
  int64_t magic;  // the third number of the header record
  std::string_view table, header_table;
  std::vector<Field> header, record;
};
inline constexpr uint32_t kAutoPerfVersion = 1;

std::span<const AutoPerf> autoperf_modules();
/// Null: no module of AutoPerf's.
const AutoPerf* autoperf_of(Module module);
size_t bytes_of(std::span<const Field> fields);

/// What APMPI counts of one function, as places among the fields of its record. None: SIZE_MAX.
struct MpiFunction {
  std::string name;  // "MPI_Send"
  size_t calls, bytes, time, longest, waited;
};
std::span<const MpiFunction> mpi_functions();

}  // namespace headrace::convert::darshan
