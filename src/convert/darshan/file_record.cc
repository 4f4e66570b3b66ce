#include "convert/darshan/file_record.h"

#include <algorithm>

#include "convert/darshan/job_record.h"
#include "convert/darshan/placement.h"

namespace headrace::convert::darshan {
namespace {

using namespace model::counter;
namespace c = count;
namespace r = real;

/// The counters of one record by their numbers in the list of all. What is not known reads as 0.
class Values {
 public:
  Values(const Layout& layout, const Record& record) : layout_(layout), record_(record) {}
  uint64_t operator[](c::All number) const { return at(number); }
  uint64_t at(size_t number) const {
    return static_cast<uint64_t>(std::max<int64_t>(record_.counts[number - layout_.first_count], 0));
  }
  int64_t raw(c::All number) const { return record_.counts[number - layout_.first_count]; }
  uint64_t operator[](r::All number) const { return to_ns(record_.reals[number - layout_.first_real]); }
  uint64_t ns(size_t number) const { return operator[](static_cast<r::All>(number)); }

 private:
  const Layout& layout_;
  const Record& record_;
};

uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/// The ten times that most modules have, in one order from `first`.
void put_times(const Values& v, size_t first, model::FileRecord& file) {
  file[first_open_at_ns] = v.ns(first);
  file[first_read_at_ns] = v.ns(first + 1);
  file[first_write_at_ns] = v.ns(first + 2);
  file[last_read_at_ns] = v.ns(first + 5);
  file[last_write_at_ns] = v.ns(first + 6);
  file[last_close_at_ns] = v.ns(first + 7);
  file[read_ns] = v.ns(first + 8);
  file[write_ns] = v.ns(first + 9);
  file[meta_ns] = v.ns(first + 10);
  file[read_max_ns] = v.ns(first + 11);
  file[write_max_ns] = v.ns(first + 12);
}

struct Places {  // in the list of all counters
  size_t slowest, sizes, access, access_step, access_counts;
};

void put_sizes(const Values& v, const Places& places, model::FileRecord& file, Doubts& doubts) {
  if (file[read_max_ns] != 0) file[read_max_size] = v.at(places.slowest);
  if (file[write_max_ns] != 0) file[write_max_size] = v.at(places.slowest + 1);
  std::array<std::array<uint64_t, kRanges>, 2> ranges;
  std::array<CommonAccess, 4> common;
  for (size_t i = 0; i < kRanges; ++i) {
    ranges[model::kRead][i] = v.at(places.sizes + i);
    ranges[model::kWrite][i] = v.at(places.sizes + kRanges + i);
  }
  for (size_t i = 0; i < common.size(); ++i) {
    common[i].size = static_cast<int64_t>(v.at(places.access + i * places.access_step));
    common[i].count = static_cast<int64_t>(v.at(places.access_counts + i));
  }
  doubts.rough_sizes += place_sizes(ranges, common, file);
}

/// Strides are those of reads and writes together: they are somebody's when only one of the two occurred.
void put_strides(const Layout& layout, const Record& record, model::FileRecord& file) {
  if ((file[reads] == 0) == (file[writes] == 0)) return;
  model::CommonValues& strides = file.common_strides[file[reads] != 0 ? model::kRead : model::kWrite];
  strides.exact = false;
  for (size_t i = 0; i < 4; ++i) {
    const int64_t times = record.counts[c::POSIX_STRIDE1_COUNT + i - layout.first_count];
    if (times > 0) {
      strides.add(record.counts[c::POSIX_STRIDE1_STRIDE + i - layout.first_count], static_cast<uint64_t>(times));
    }
  }
}

/// Darshan counts the unaligned of reads and writes together. Whose they are is known where there was one kind alone.
void put_alignment(const Values& v, model::FileRecord& file) {
  const bool has_reads = file[reads] != 0, has_writes = file[writes] != 0;
  if (!has_reads && !has_writes) return;
  const uint64_t unit = v[c::POSIX_FILE_ALIGNMENT], unaligned = v[c::POSIX_FILE_NOT_ALIGNED];
  if (unit == 0 || unaligned > file[reads] + file[writes]) {
    file[flags] |= model::flag::alignment_not_recorded;
    return;
  }
  const bool is_ours = unit == 4096 && !(has_reads && has_writes);
  if (!is_ours) file[flags] |= model::flag::alignment_of_both;
  file[is_ours && has_reads ? reads_unaligned_file : writes_unaligned_file] = unaligned;
  if (!is_ours || v[c::POSIX_MEM_ALIGNMENT] != 8) return;
  file[has_reads ? reads_unaligned_memory : writes_unaligned_memory] = v[c::POSIX_MEM_NOT_ALIGNED];
}

void put_posix(const Layout& layout, const Record& record, uint64_t ranks, model::FileRecord& file, Doubts& doubts) {
  const Values v(layout, record);
  file[duplicates] = v[c::POSIX_DUPS];
  file[opens] = less(v[c::POSIX_OPENS], v[c::POSIX_DUPS] + v[c::POSIX_FILENOS]);  // which Darshan counts as opens
  file[reads] = v[c::POSIX_READS];
  file[writes] = v[c::POSIX_WRITES];
  file[seeks] = v[c::POSIX_SEEKS];
  file[stats] = v[c::POSIX_STATS];
  file[maps] = v[c::POSIX_MMAPS];
  file[syncs] = v[c::POSIX_FSYNCS] + v[c::POSIX_FDSYNCS];
  file[renames] = v[c::POSIX_RENAME_SOURCES] + v[c::POSIX_RENAME_TARGETS];
  file[bytes_read] = v[c::POSIX_BYTES_READ];
  file[bytes_written] = v[c::POSIX_BYTES_WRITTEN];
  if (file[bytes_read] != 0) file[read_end] = v[c::POSIX_MAX_BYTE_READ] + 1;
  if (file[bytes_written] != 0) file[write_end] = v[c::POSIX_MAX_BYTE_WRITTEN] + 1;
  file[reads_consecutive] = v[c::POSIX_CONSEC_READS];
  file[writes_consecutive] = v[c::POSIX_CONSEC_WRITES];
  // Darshan's sequential ones are those and the forward ones; the rest went back, but for the first of each process.
  file[reads_forward] = less(v[c::POSIX_SEQ_READS], v[c::POSIX_CONSEC_READS]);
  file[writes_forward] = less(v[c::POSIX_SEQ_WRITES], v[c::POSIX_CONSEC_WRITES]);
  file[reads_backward] = less(file[reads], v[c::POSIX_SEQ_READS] + ranks);
  file[writes_backward] = less(file[writes], v[c::POSIX_SEQ_WRITES] + ranks);
  file[switches] = v[c::POSIX_RW_SWITCHES];
  put_alignment(v, file);
  put_times(v, r::POSIX_F_OPEN_START_TIMESTAMP, file);
  put_sizes(v,
            {c::POSIX_MAX_READ_TIME_SIZE, c::POSIX_SIZE_READ_0_100, c::POSIX_ACCESS1_ACCESS, 1, c::POSIX_ACCESS1_COUNT},
            file, doubts);
  put_strides(layout, record, file);
}

void put_mpiio(const Values& v, model::FileRecord& file, Doubts& doubts) {
  file[opens] = v[c::MPIIO_INDEP_OPENS] + v[c::MPIIO_COLL_OPENS];
  file[opens_collective] = v[c::MPIIO_COLL_OPENS];
  file[reads_split] = v[c::MPIIO_SPLIT_READS];
  file[writes_split] = v[c::MPIIO_SPLIT_WRITES];
  file[reads_collective] = v[c::MPIIO_COLL_READS] + file[reads_split];
  file[writes_collective] = v[c::MPIIO_COLL_WRITES] + file[writes_split];
  file[reads_nonblocking] = v[c::MPIIO_NB_READS];
  file[writes_nonblocking] = v[c::MPIIO_NB_WRITES];
  file[reads] = v[c::MPIIO_INDEP_READS] + file[reads_collective] + file[reads_nonblocking];
  file[writes] = v[c::MPIIO_INDEP_WRITES] + file[writes_collective] + file[writes_nonblocking];
  file[syncs] = v[c::MPIIO_SYNCS];
  file[views] = v[c::MPIIO_VIEWS];
  file[bytes_read] = v[c::MPIIO_BYTES_READ];
  file[bytes_written] = v[c::MPIIO_BYTES_WRITTEN];
  file[switches] = v[c::MPIIO_RW_SWITCHES];
  put_times(v, r::MPIIO_F_OPEN_START_TIMESTAMP, file);
  put_sizes(
      v,
      {c::MPIIO_MAX_READ_TIME_SIZE, c::MPIIO_SIZE_READ_AGG_0_100, c::MPIIO_ACCESS1_ACCESS, 1, c::MPIIO_ACCESS1_COUNT},
      file, doubts);
}

void put_h5f(const Values& v, model::FileRecord& file) {
  file[opens] = v[c::H5F_OPENS];
  file[syncs] = v[c::H5F_FLUSHES];
  file[meta_ns] = v[r::H5F_F_META_TIME];
  file[first_open_at_ns] = v[r::H5F_F_OPEN_START_TIMESTAMP];
  file[last_close_at_ns] = v[r::H5F_F_CLOSE_END_TIMESTAMP];
}

std::string by_dimension(const Values& v, size_t first) {
  std::string text;
  for (size_t i = 0; i < 5 && v.at(first + i) != 0; ++i) text += (i == 0 ? "" : ",") + std::to_string(v.at(first + i));
  return text;
}

void put_h5d(const Values& v, model::FileRecord& file, Doubts& doubts) {
  file[opens] = v[c::H5D_OPENS];
  file[reads] = v[c::H5D_READS];
  file[writes] = v[c::H5D_WRITES];
  file[syncs] = v[c::H5D_FLUSHES];
  file[bytes_read] = v[c::H5D_BYTES_READ];
  file[bytes_written] = v[c::H5D_BYTES_WRITTEN];
  file[switches] = v[c::H5D_RW_SWITCHES];
  const uint64_t pieces =
      v[c::H5D_REGULAR_HYPERSLAB_SELECTS] + v[c::H5D_IRREGULAR_HYPERSLAB_SELECTS] + v[c::H5D_POINT_SELECTS];
  if (file[writes] == 0) file[reads_noncontiguous] = pieces;
  if (file[reads] == 0) file[writes_noncontiguous] = pieces;
  // A mark that at least one transfer was asked to be so; −1, of versions without it, says nothing.
  const int64_t collective = v.raw(c::H5D_USE_MPIIO_COLLECTIVE);
  if (collective >= 0) file.properties.push_back({"hdf5.transfer", collective > 0 ? "collective" : "independent"});
  if (const std::string chunk = by_dimension(v, c::H5D_CHUNK_SIZE_D1); !chunk.empty()) {
    file.properties.push_back({"hdf5.chunk", chunk});
  }
  put_times(v, r::H5D_F_OPEN_START_TIMESTAMP, file);
  put_sizes(v, {c::H5D_MAX_READ_TIME_SIZE, c::H5D_SIZE_READ_AGG_0_100, c::H5D_ACCESS1_ACCESS, 11, c::H5D_ACCESS1_COUNT},
            file, doubts);
}

void put_pnetcdf_file(const Values& v, model::FileRecord& file) {
  file[opens] = v[c::PNETCDF_FILE_OPENS] + v[c::PNETCDF_FILE_CREATES];
  file[syncs] = v[c::PNETCDF_FILE_SYNCS];
  file[meta_ns] = v[r::PNETCDF_FILE_F_META_TIME] + v[r::PNETCDF_FILE_F_WAIT_TIME];
  file[first_open_at_ns] = v[r::PNETCDF_FILE_F_OPEN_START_TIMESTAMP];
  file[last_close_at_ns] = v[r::PNETCDF_FILE_F_CLOSE_END_TIMESTAMP];
}

void put_pnetcdf_var(const Values& v, model::FileRecord& file, Doubts& doubts) {
  file[opens] = v[c::PNETCDF_VAR_OPENS];
  file[reads_collective] = v[c::PNETCDF_VAR_COLL_READS];
  file[writes_collective] = v[c::PNETCDF_VAR_COLL_WRITES];
  file[reads_nonblocking] = v[c::PNETCDF_VAR_NB_READS];
  file[writes_nonblocking] = v[c::PNETCDF_VAR_NB_WRITES];
  file[reads] = v[c::PNETCDF_VAR_INDEP_READS] + file[reads_collective] + file[reads_nonblocking];
  file[writes] = v[c::PNETCDF_VAR_INDEP_WRITES] + file[writes_collective] + file[writes_nonblocking];
  file[bytes_read] = v[c::PNETCDF_VAR_BYTES_READ];
  file[bytes_written] = v[c::PNETCDF_VAR_BYTES_WRITTEN];
  file[switches] = v[c::PNETCDF_VAR_RW_SWITCHES];
  put_times(v, r::PNETCDF_VAR_F_OPEN_START_TIMESTAMP, file);
  put_sizes(v,
            {c::PNETCDF_VAR_MAX_READ_TIME_SIZE, c::PNETCDF_VAR_SIZE_READ_AGG_0_100, c::PNETCDF_VAR_ACCESS1_ACCESS, 11,
             c::PNETCDF_VAR_ACCESS1_COUNT},
            file, doubts);
}

void put_stdio(const Values& v, model::FileRecord& file) {
  file[opens] = less(v[c::STDIO_OPENS], v[c::STDIO_FDOPENS]);  // fdopen opens no file
  file[reads] = v[c::STDIO_READS];
  file[writes] = v[c::STDIO_WRITES];
  file[seeks] = v[c::STDIO_SEEKS];
  file[flushes] = v[c::STDIO_FLUSHES];
  file[bytes_read] = v[c::STDIO_BYTES_READ];
  file[bytes_written] = v[c::STDIO_BYTES_WRITTEN];
  if (file[bytes_read] != 0) file[read_end] = v[c::STDIO_MAX_BYTE_READ] + 1;
  if (file[bytes_written] != 0) file[write_end] = v[c::STDIO_MAX_BYTE_WRITTEN] + 1;
  file[read_ns] = v[r::STDIO_F_READ_TIME];
  file[write_ns] = v[r::STDIO_F_WRITE_TIME];
  file[meta_ns] = v[r::STDIO_F_META_TIME];
  file[first_open_at_ns] = v[r::STDIO_F_OPEN_START_TIMESTAMP];
  file[last_close_at_ns] = v[r::STDIO_F_CLOSE_END_TIMESTAMP];
  file[first_read_at_ns] = v[r::STDIO_F_READ_START_TIMESTAMP];
  file[last_read_at_ns] = v[r::STDIO_F_READ_END_TIMESTAMP];
  file[first_write_at_ns] = v[r::STDIO_F_WRITE_START_TIMESTAMP];
  file[last_write_at_ns] = v[r::STDIO_F_WRITE_END_TIMESTAMP];
}

/// What no version of a module records, as far as there was something to record.
void put_not_recorded(Module module, model::FileRecord& file) {
  file[flags] |= model::flag::errors_not_recorded;
  file[flags] |= model::flag::calls_not_recorded;
  if (module != Module::kPnetcdfFile) file[flags] |= model::flag::creation_not_recorded;
  if (file[read_ns] != 0 && file[read_max_ns] == 0) file[flags] |= model::flag::longest_read_not_recorded;
  if (file[write_ns] != 0 && file[write_max_ns] == 0) file[flags] |= model::flag::longest_write_not_recorded;
  if (file[meta_ns] != 0) file[flags] |= model::flag::longest_other_not_recorded;
}

/// Darshan's names of the three streams that every program begins with, as job logs have them.
std::string_view stream_name(std::string_view name) {
  if (name == "<STDIN>") return "<stdin>";
  if (name == "<STDOUT>") return "<stdout>";
  if (name == "<STDERR>") return "<stderr>";
  return {};
}

}  // namespace

model::Layer layer_of(Module module) {
  switch (module) {
    case Module::kMpiio:
    case Module::kDxtMpiio:
      return model::Layer::kMpiio;
    case Module::kH5f:
    case Module::kH5d:
      return model::Layer::kHdf5;
    case Module::kPnetcdfFile:
    case Module::kPnetcdfVar:
      return model::Layer::kPnetcdf;
    case Module::kStdio:
      return model::Layer::kStdio;
    default:
      return model::Layer::kPosix;
  }
}

model::FileRecord to_file_record(const Layout& layout, const Record& record, const std::string& name, uint64_t ranks,
                                 Doubts& doubts) {
  model::FileRecord file;
  file.path = file.final_path = name;
  file.layer = layer_of(layout.module);
  const Values v(layout, record);
  switch (layout.module) {
    case Module::kPosix:
      put_posix(layout, record, ranks, file, doubts);
      break;
    case Module::kMpiio:
      put_mpiio(v, file, doubts);
      break;
    case Module::kH5f:
      put_h5f(v, file);
      break;
    case Module::kH5d:
      put_h5d(v, file, doubts);
      break;
    case Module::kPnetcdfFile:
      put_pnetcdf_file(v, file);
      break;
    case Module::kPnetcdfVar:
      put_pnetcdf_var(v, file, doubts);
      break;
    default:
      put_stdio(v, file);
  }
  put_not_recorded(layout.module, file);
  if (layout.has_file) file.kind = model::FileKind::kDataset;
  if (const std::string_view stream = stream_name(name); !stream.empty()) {
    file.path = file.final_path = stream;
    file.kind = model::FileKind::kStream;
  }
  if (name.starts_with("(in no file")) file.kind = model::FileKind::kNoFile;  // of one that Headrace wrote
  return file;
}

}  // namespace headrace::convert::darshan
