#include "collect/devices/left_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "collect/chunk_rows.h"
#include "collect/devices/host_files.h"
#include "format/contents.h"
#include "format/table_filter.h"
#include "format/writer.h"

namespace headrace::collect {
namespace {

using base::Code;
using base::Result;
using base::Status;
using format::ChunkInfo;
using format::Reader;

/// By what a row is known in its table: its tick and its texts.
std::string key_of(const format::Table& table, uint64_t tick, uint64_t row) {
  std::string key = std::to_string(tick);
  for (const format::Column& column : table.columns) {
    if (column.type == format::Type::kText) key.append(1, '\0').append(column.text(row));
  }
  return key;
}

using Keys = std::unordered_set<std::string>;

/// Those of a file's rows of `first` and later. Ticks grow from one move of a tail to the next, and a move may be of
/// several chunks: so it is looked from the end on, until a chunk has only earlier ones.
Result<Keys> stored_since(const Reader& file, const std::string& name, uint64_t first) {
  Keys keys;
  const std::vector<const ChunkInfo*> chunks = chunks_of(file, name);
  for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk) {
    HEADRACE_ASSIGN(const format::Table table, rows_of(file, **chunk));
    const format::Column* tick = integers(table, "tick");
    const size_t before = keys.size();
    for (uint64_t row = 0; tick != nullptr && row < table.rows; ++row) {
      if (tick->u64(row) >= first) keys.insert(key_of(table, tick->u64(row), row));
    }
    if (keys.size() == before) break;
  }
  return keys;
}

/// `file`: null when it has no chunk yet.
Status add_tail(Reader& tail, const Reader* file, format::Writer& writer) {
  for (const std::string& name : tail.tables()) {
    HEADRACE_ASSIGN(format::Table table, tail.table(name));
    const format::Column* tick = integers(table, "tick");
    if (tick == nullptr || table.rows == 0) continue;
    uint64_t first = UINT64_MAX;
    for (uint64_t row = 0; row < table.rows; ++row) first = std::min(first, tick->u64(row));
    Keys stored;
    if (file != nullptr) {
      HEADRACE_ASSIGN(stored, stored_since(*file, name, first));
    }
    std::vector<uint64_t> fresh;
    for (uint64_t row = 0; row < table.rows; ++row) {
      if (!stored.contains(key_of(table, tick->u64(row), row))) fresh.push_back(row);
    }
    if (fresh.empty()) continue;
    keep_rows(table, fresh);
    format::TableCopy copy(table);
    HEADRACE_TRY(writer.add(copy.builder()));
  }
  return {};
}

/// A chunk that was cut is cut off, lest it be told for ever: its rows are in the tail.
Status cut_torn(const Reader& file, const std::string& path) {
  uint64_t end = 0;
  for (const ChunkInfo& chunk : file.chunks()) end = std::max(end, chunk.offset + format::chunk_size(chunk.header));
  if (file.closed() || end >= file.size() || truncate(path.c_str(), static_cast<off_t>(end)) == 0) return {};
  return {Code::kIo, path + ": cannot be cut where a chunk was being written: " + strerror(errno)};
}

bool is_nothing(const Status& status) { return status.code() == Code::kNotFound || status.code() == Code::kTruncated; }

bool path_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

Status synchronize(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fdatasync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  // Some file systems have no such call, and store when they do.
  if (done || error == EINVAL || error == ENOTSUP) return {};
  return {error == ENOSPC || error == EDQUOT ? Code::kNoSpace : Code::kIo,
          path + ": cannot be stored: " + strerror(error)};
}

Status finish_left_file(const std::string& base) {
  const std::string path = base + ".open.hr", tail_path = base + ".tail.hr";
  if (!path_exists(path) && path_exists(base + ".hr")) {  // it was finished but for this
    unlink(tail_path.c_str());
    return {};
  }
  auto file = Reader::open(path);
  auto tail = Reader::open(tail_path);
  if (!file.ok() && !is_nothing(file.status())) return file.status();
  if (!tail.ok() && !is_nothing(tail.status())) return tail.status();
  if (!file.ok() && !tail.ok()) {
    unlink(tail_path.c_str());
    unlink(path.c_str());
    return {};
  }
  if (file.ok()) {
    HEADRACE_TRY(cut_torn(*file, path));
  }
  if (!file.ok() || !file->closed() || tail.ok()) {
    HEADRACE_ASSIGN(format::Writer writer, format::Writer::append(path, {.planes = true}));
    if (tail.ok()) HEADRACE_TRY(add_tail(*tail, file.ok() ? &*file : nullptr, writer));
    HEADRACE_TRY(writer.close());
  }
  HEADRACE_TRY(synchronize(path));
  if (rename(path.c_str(), (base + ".hr").c_str()) != 0)
    return {Code::kIo, path + ": cannot be renamed: " + strerror(errno)};
  unlink(tail_path.c_str());
  return {};
}

std::vector<std::string> left_files(const std::string& directory) {
  std::vector<std::string> left = names_with(directory, ".open.hr"), tails = names_with(directory, ".tail.hr"), all;
  std::set_union(left.begin(), left.end(), tails.begin(), tails.end(), std::back_inserter(all));
  return all;
}

}  // namespace headrace::collect
