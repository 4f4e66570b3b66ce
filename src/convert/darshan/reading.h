#pragma once
// What is known while a Darshan log is read, and the tables in the making. Internal to darshan.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "convert/darshan/convert.h"
#include "convert/darshan/file_record.h"
#include "convert/darshan/job_record.h"
#include "convert/darshan/names.h"
#include "convert/job_tables.h"

namespace headrace::convert::darshan {

struct Reading {
  Reading(format::Source& from, Limits most) : source(from), limits(most) {}

  format::Source& source;
  Limits limits;
  Header header;
  JobRecord job;
  bool processes_known = false;  // nothing is wrong with the job record, which says how many there were
  NameMap names;
  bool names_known = false;  // all of them are there
  JobTables tables;
  std::vector<format::Table> extra;  // Darshan's own figures
  Doubts doubts;
  std::vector<std::string> lost;  // why the log is not complete

  uint64_t run_ns = 0, instance = 0;
  std::map<int64_t, std::string> hosts;         // of ranks that a trace names
  std::map<int64_t, uint64_t> records_of_rank;  // every rank that occurs; −1: all ranks
  std::unordered_set<uint64_t> file_rows;
  struct Row {
    uint64_t process, record;
  };
  std::unordered_map<uint64_t, Row> row_of_file;  // by Darshan's id: the first row of `files`

  uint64_t process_of(int64_t rank) const;
  /// The row of `files` that a rank's operations on a file count in: its own, that of all ranks, or none yet.
  uint64_t row_of(int64_t rank, uint64_t file, model::Layer layer) const;

  RegionReader region(Module module) const {
    return RegionReader(source, header.modules[static_cast<size_t>(module)], header.compression);
  }
  uint32_t version(Module module) const { return header.versions[static_cast<size_t>(module)]; }
  bool has(Module module) const { return header.modules[static_cast<size_t>(module)].length != 0; }

  /// Whether records of the module's version can be read; what cannot is told.
  bool knows_version(Module module, uint32_t newest);
  /// Something is missing: tells it in `gaps` and in the job's facts.
  void lose(Module module, uint64_t amount, const std::string& unit, const std::string& why);
  /// After the records of a module: tells what its region lacks. `left`: bytes of a record that was begun.
  void check_end(Module module, const RegionReader& region, uint64_t left);
  bool too_large(const TableMaker& own) const { return tables.bytes() + own.bytes() > limits.bytes; }
  base::Status limit() const;
};

/// Traces, time lines, stripes, and calls of MPI: dxt.cc, heatmap.cc, lustre.cc, read_autoperf.cc.
base::Status read_dxt(Reading& reading, Module module);
base::Status read_heatmap(Reading& reading);
base::Status read_lustre(Reading& reading);
base::Status read_autoperf(Reading& reading);

}  // namespace headrace::convert::darshan
