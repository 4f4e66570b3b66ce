#include "convert/darshan/from_file_record.h"

#include <algorithm>

#include "base/hash.h"
#include "convert/darshan/placement.h"

namespace headrace::convert::darshan {
namespace {

using namespace model::counter;
namespace c = count;
namespace r = real;

/// A record by the numbers of the list of all counters.
class Fields {
 public:
  Fields(const Layout& layout, Record& record) : layout_(layout), record_(record) {}
  int64_t& operator[](size_t number) { return record_.counts[number - layout_.first_count]; }
  void set(size_t number, uint64_t value) { operator[](number) = static_cast<int64_t>(value); }
  void seconds(size_t number, uint64_t ns) {
    record_.reals[number - layout_.first_real] = static_cast<double>(ns) / 1e9;
  }

 private:
  const Layout& layout_;
  Record& record_;
};

uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
uint64_t end_byte(uint64_t end) { return end == 0 ? 0 : end - 1; }

/// Of opens and closes only the first and the last moment are known.
void put_times(const model::FileRecord& file, size_t first, Fields& f) {
  const uint64_t values[] = {file[first_open_at_ns], file[first_read_at_ns], file[first_write_at_ns],
                             file[last_close_at_ns], file[first_open_at_ns], file[last_read_at_ns],
                             file[last_write_at_ns], file[last_close_at_ns], file[read_ns],
                             file[write_ns],         file[meta_ns],          file[read_max_ns],
                             file[write_max_ns]};
  for (size_t i = 0; i < std::size(values); ++i) f.seconds(first + i, values[i]);
}

/// Operations of the common sizes stand in their range; those of the rest of a bucket in the range of its least size.
void put_ranges(const model::FileRecord& file, uint32_t d, size_t first, Fields& f) {
  model::SizeHistogram left = file.sizes[d];
  for (const model::CommonValue& each : file.common_sizes[d].values()) {
    const auto size = static_cast<uint64_t>(std::max<int64_t>(each.value, 0));
    uint64_t& bucket = left.counts[model::SizeHistogram::bucket_of(size)];
    const uint64_t operations = std::min(each.count, bucket);
    bucket -= operations;
    f[first + range_of(size)] += static_cast<int64_t>(operations);
  }
  for (uint32_t bucket = 0; bucket < model::SizeHistogram::kBuckets; ++bucket) {
    const uint64_t least = bucket == 0 ? 0 : (uint64_t{1} << (bucket - 1)) + 1;
    f[first + range_of(least)] += static_cast<int64_t>(left.counts[bucket]);
  }
}

/// The four most common values of reads and writes together.
void put_common(const std::array<model::CommonValues, 2>& both, size_t values, size_t step, size_t counts, Fields& f) {
  model::CommonValues all = both[0];
  all.merge(both[1]);
  size_t place = 0;
  for (const model::CommonValue& each : all.most_common(4)) {
    f[values + place * step] = each.value;
    f.set(counts + place, each.count);
    ++place;
  }
}

void put_sizes(const model::FileRecord& file, size_t slowest, size_t ranges, size_t access, size_t step, size_t counts,
               Fields& f) {
  f.set(slowest, file[read_max_size]);
  f.set(slowest + 1, file[write_max_size]);
  put_ranges(file, model::kRead, ranges, f);
  put_ranges(file, model::kWrite, ranges + kRanges, f);
  put_common(file.common_sizes, access, step, counts, f);
}

void put_posix(const model::FileRecord& file, Fields& f) {
  f.set(c::POSIX_OPENS, file[opens] + file[duplicates]);
  f.set(c::POSIX_DUPS, file[duplicates]);
  f.set(c::POSIX_READS, file[reads]);
  f.set(c::POSIX_WRITES, file[writes]);
  f.set(c::POSIX_SEEKS, file[seeks]);
  f.set(c::POSIX_STATS, file[stats]);
  f.set(c::POSIX_MMAPS, file[maps]);
  f.set(c::POSIX_FSYNCS, file[syncs]);
  f.set(c::POSIX_RENAME_SOURCES, file[renames]);
  f.set(c::POSIX_BYTES_READ, file[bytes_read]);
  f.set(c::POSIX_BYTES_WRITTEN, file[bytes_written]);
  f.set(c::POSIX_MAX_BYTE_READ, end_byte(file[read_end]));
  f.set(c::POSIX_MAX_BYTE_WRITTEN, end_byte(file[write_end]));
  f.set(c::POSIX_CONSEC_READS, file[reads_consecutive]);
  f.set(c::POSIX_CONSEC_WRITES, file[writes_consecutive]);
  f.set(c::POSIX_SEQ_READS, file[reads_consecutive] + file[reads_forward]);
  f.set(c::POSIX_SEQ_WRITES, file[writes_consecutive] + file[writes_forward]);
  f.set(c::POSIX_RW_SWITCHES, file[switches]);
  f.set(c::POSIX_MEM_NOT_ALIGNED, file[reads_unaligned_memory] + file[writes_unaligned_memory]);
  f.set(c::POSIX_MEM_ALIGNMENT, 8);
  f.set(c::POSIX_FILE_NOT_ALIGNED, file[reads_unaligned_file] + file[writes_unaligned_file]);
  f.set(c::POSIX_FILE_ALIGNMENT, 4096);
  put_times(file, r::POSIX_F_OPEN_START_TIMESTAMP, f);
  put_sizes(file, c::POSIX_MAX_READ_TIME_SIZE, c::POSIX_SIZE_READ_0_100, c::POSIX_ACCESS1_ACCESS, 1,
            c::POSIX_ACCESS1_COUNT, f);
  put_common(file.common_strides, c::POSIX_STRIDE1_STRIDE, 1, c::POSIX_STRIDE1_COUNT, f);
}

void put_mpiio(const model::FileRecord& file, Fields& f) {
  f.set(c::MPIIO_INDEP_OPENS, minus(file[opens], file[opens_collective]));
  f.set(c::MPIIO_COLL_OPENS, file[opens_collective]);
  f.set(c::MPIIO_INDEP_READS, minus(file[reads], file[reads_collective] + file[reads_nonblocking]));
  f.set(c::MPIIO_INDEP_WRITES, minus(file[writes], file[writes_collective] + file[writes_nonblocking]));
  f.set(c::MPIIO_COLL_READS, minus(file[reads_collective], file[reads_split]));
  f.set(c::MPIIO_COLL_WRITES, minus(file[writes_collective], file[writes_split]));
  f.set(c::MPIIO_SPLIT_READS, file[reads_split]);
  f.set(c::MPIIO_SPLIT_WRITES, file[writes_split]);
  f.set(c::MPIIO_NB_READS, file[reads_nonblocking]);
  f.set(c::MPIIO_NB_WRITES, file[writes_nonblocking]);
  f.set(c::MPIIO_SYNCS, file[syncs]);
  f.set(c::MPIIO_VIEWS, file[views]);
  f.set(c::MPIIO_BYTES_READ, file[bytes_read]);
  f.set(c::MPIIO_BYTES_WRITTEN, file[bytes_written]);
  f.set(c::MPIIO_RW_SWITCHES, file[switches]);
  put_times(file, r::MPIIO_F_OPEN_START_TIMESTAMP, f);
  put_sizes(file, c::MPIIO_MAX_READ_TIME_SIZE, c::MPIIO_SIZE_READ_AGG_0_100, c::MPIIO_ACCESS1_ACCESS, 1,
            c::MPIIO_ACCESS1_COUNT, f);
}

void put_h5f(const model::FileRecord& file, Fields& f) {
  f.set(c::H5F_OPENS, file[opens]);
  f.set(c::H5F_FLUSHES, file[syncs]);
  f[c::H5F_USE_MPIIO] = -1;  // not known
  f.seconds(r::H5F_F_OPEN_START_TIMESTAMP, file[first_open_at_ns]);
  f.seconds(r::H5F_F_OPEN_END_TIMESTAMP, file[first_open_at_ns]);
  f.seconds(r::H5F_F_CLOSE_START_TIMESTAMP, file[last_close_at_ns]);
  f.seconds(r::H5F_F_CLOSE_END_TIMESTAMP, file[last_close_at_ns]);
  f.seconds(r::H5F_F_META_TIME, file[meta_ns]);
}

void put_h5d(const model::FileRecord& file, Fields& f) {
  f.set(c::H5D_OPENS, file[opens]);
  f.set(c::H5D_READS, file[reads]);
  f.set(c::H5D_WRITES, file[writes]);
  f.set(c::H5D_FLUSHES, file[syncs]);
  f.set(c::H5D_BYTES_READ, file[bytes_read]);
  f.set(c::H5D_BYTES_WRITTEN, file[bytes_written]);
  f.set(c::H5D_RW_SWITCHES, file[switches]);
  f.set(c::H5D_REGULAR_HYPERSLAB_SELECTS, file[reads_noncontiguous] + file[writes_noncontiguous]);
  f[c::H5D_USE_MPIIO_COLLECTIVE] = file[reads_collective] + file[writes_collective] != 0 ? 1 : 0;
  put_times(file, r::H5D_F_OPEN_START_TIMESTAMP, f);
  put_sizes(file, c::H5D_MAX_READ_TIME_SIZE, c::H5D_SIZE_READ_AGG_0_100, c::H5D_ACCESS1_ACCESS, 11,
            c::H5D_ACCESS1_COUNT, f);
}

void put_pnetcdf_file(const model::FileRecord& file, Fields& f) {
  f.set(c::PNETCDF_FILE_OPENS, file[opens]);
  f.set(c::PNETCDF_FILE_SYNCS, file[syncs]);
  f.set(c::PNETCDF_FILE_BYTES_READ, file[bytes_read]);
  f.set(c::PNETCDF_FILE_BYTES_WRITTEN, file[bytes_written]);
  f.seconds(r::PNETCDF_FILE_F_OPEN_START_TIMESTAMP, file[first_open_at_ns]);
  f.seconds(r::PNETCDF_FILE_F_OPEN_END_TIMESTAMP, file[first_open_at_ns]);
  f.seconds(r::PNETCDF_FILE_F_CLOSE_START_TIMESTAMP, file[last_close_at_ns]);
  f.seconds(r::PNETCDF_FILE_F_CLOSE_END_TIMESTAMP, file[last_close_at_ns]);
  f.seconds(r::PNETCDF_FILE_F_META_TIME, file[meta_ns]);
}

void put_pnetcdf_var(const model::FileRecord& file, Fields& f) {
  f.set(c::PNETCDF_VAR_OPENS, file[opens]);
  f.set(c::PNETCDF_VAR_INDEP_READS, minus(file[reads], file[reads_collective] + file[reads_nonblocking]));
  f.set(c::PNETCDF_VAR_INDEP_WRITES, minus(file[writes], file[writes_collective] + file[writes_nonblocking]));
  f.set(c::PNETCDF_VAR_COLL_READS, file[reads_collective]);
  f.set(c::PNETCDF_VAR_COLL_WRITES, file[writes_collective]);
  f.set(c::PNETCDF_VAR_NB_READS, file[reads_nonblocking]);
  f.set(c::PNETCDF_VAR_NB_WRITES, file[writes_nonblocking]);
  f.set(c::PNETCDF_VAR_BYTES_READ, file[bytes_read]);
  f.set(c::PNETCDF_VAR_BYTES_WRITTEN, file[bytes_written]);
  f.set(c::PNETCDF_VAR_RW_SWITCHES, file[switches]);
  put_times(file, r::PNETCDF_VAR_F_OPEN_START_TIMESTAMP, f);
  put_sizes(file, c::PNETCDF_VAR_MAX_READ_TIME_SIZE, c::PNETCDF_VAR_SIZE_READ_AGG_0_100, c::PNETCDF_VAR_ACCESS1_ACCESS,
            11, c::PNETCDF_VAR_ACCESS1_COUNT, f);
}

void put_stdio(const model::FileRecord& file, Fields& f) {
  f.set(c::STDIO_OPENS, file[opens]);
  f.set(c::STDIO_READS, file[reads]);
  f.set(c::STDIO_WRITES, file[writes]);
  f.set(c::STDIO_SEEKS, file[seeks]);
  f.set(c::STDIO_FLUSHES, file[flushes]);
  f.set(c::STDIO_BYTES_READ, file[bytes_read]);
  f.set(c::STDIO_BYTES_WRITTEN, file[bytes_written]);
  f.set(c::STDIO_MAX_BYTE_READ, end_byte(file[read_end]));
  f.set(c::STDIO_MAX_BYTE_WRITTEN, end_byte(file[write_end]));
  f.seconds(r::STDIO_F_META_TIME, file[meta_ns]);
  f.seconds(r::STDIO_F_WRITE_TIME, file[write_ns]);
  f.seconds(r::STDIO_F_READ_TIME, file[read_ns]);
  f.seconds(r::STDIO_F_OPEN_START_TIMESTAMP, file[first_open_at_ns]);
  f.seconds(r::STDIO_F_OPEN_END_TIMESTAMP, file[first_open_at_ns]);
  f.seconds(r::STDIO_F_CLOSE_START_TIMESTAMP, file[last_close_at_ns]);
  f.seconds(r::STDIO_F_CLOSE_END_TIMESTAMP, file[last_close_at_ns]);
  f.seconds(r::STDIO_F_WRITE_START_TIMESTAMP, file[first_write_at_ns]);
  f.seconds(r::STDIO_F_WRITE_END_TIMESTAMP, file[last_write_at_ns]);
  f.seconds(r::STDIO_F_READ_START_TIMESTAMP, file[first_read_at_ns]);
  f.seconds(r::STDIO_F_READ_END_TIMESTAMP, file[last_read_at_ns]);
}

}  // namespace

std::string_view file_of_dataset(std::string_view path) {
  return path.substr(0, std::min(path.rfind(':'), path.size()));
}

Record from_file_record(const Layout& layout, const model::FileRecord& file, int64_t rank) {
  Record record;
  record.counts.fill(0);
  record.reals.fill(0);
  record.id = base::hash_text(file.path);
  record.rank = rank;
  if (layout.has_file) record.file = base::hash_text(file_of_dataset(file.path));
  Fields f(layout, record);
  switch (layout.module) {
    case Module::kPosix:
      put_posix(file, f);
      break;
    case Module::kMpiio:
      put_mpiio(file, f);
      break;
    case Module::kH5f:
      put_h5f(file, f);
      break;
    case Module::kH5d:
      put_h5d(file, f);
      break;
    case Module::kPnetcdfFile:
      put_pnetcdf_file(file, f);
      break;
    case Module::kPnetcdfVar:
      put_pnetcdf_var(file, f);
      break;
    default:
      put_stdio(file, f);
  }
  return record;
}

}  // namespace headrace::convert::darshan
