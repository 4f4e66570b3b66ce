#include "collect/scan/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>

#include "collect/scan/directory.h"
#include "collect/scan/files.h"
#include "collect/scan/state_tables.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

namespace {

Status write_tables(const std::string& path, const ScanState& state, const Pending* pending) {
  HEADRACE_ASSIGN(auto sink, format::FileSink::open(path, format::FileSink::Mode::kReplace));
  HEADRACE_ASSIGN(format::Writer writer, format::Writer::open(std::move(sink)));
  HEADRACE_TRY(add_facts(writer, state));
  HEADRACE_TRY(add_histograms(writer, state));
  HEADRACE_TRY(add_ranges(writer, state.sums));
  HEADRACE_TRY(add_problems(writer, state.problems));
  if (pending != nullptr) {
    HEADRACE_TRY(add_bins(writer, state.sums));
    HEADRACE_TRY(add_open(writer, state.open));
    HEADRACE_TRY(add_mounts(writer, state));
    HEADRACE_TRY(add_pending(writer, *pending));
  }
  return writer.close();
}

Status store(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file && fsync(file.get()) == 0 ? Status() : failed(path + ": cannot be stored", errno);
}

/// Names in a directory, where its file system lets them be stored. Else what is removed next might be gone before a
/// new name is there.
void store_names(const std::string& directory) {
  const Descriptor opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) fsync(opened.get());
}

}  // namespace

std::string ScanState::complete() const {
  if (!done) return "no: the scan has not ended";
  if (sums.totals.unreadable == 0) return "yes";
  return "no: of " + std::to_string(sums.totals.unreadable) + " directories something could not be read";
}

Status write_state(const std::string& path, const ScanState& state, const Pending* pending) {
  const std::string next = path + ".new";
  unlink(next.c_str());  // of a scan that was killed, or a link that leads elsewhere
  Status written = write_tables(next, state, pending);
  if (written.ok()) written = store(next);
  if (written.ok() && rename(next.c_str(), path.c_str()) != 0) written = failed(path + ": cannot be written", errno);
  if (!written.ok()) unlink(next.c_str());
  if (written.ok()) store_names(directory_of(path));
  return written;
}

Status check_output(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return {};
  auto reader = format::Reader::open(path);
  const auto tables = reader.ok() ? reader->tables() : std::vector<std::string>();
  if (std::find(tables.begin(), tables.end(), "scan") != tables.end()) return {};
  return {Code::kInvalid, path + ": is there and is no scan: give another name with -o, or remove it"};
}

Result<ScanState> read_state(const std::string& path, Pending& pending) {
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open(path));
  return read_state(path, std::move(reader), pending);
}

Result<ScanState> read_state(const std::string& label, format::Reader reader, Pending& pending) {
  StateTables tables(label, std::move(reader));
  ScanState state;
  HEADRACE_TRY(read_facts(tables, state));
  HEADRACE_TRY(read_bins(tables, state.settings.rules.size(), state.sums));
  HEADRACE_TRY(read_ranges(tables, state.sums));
  HEADRACE_TRY(read_pending(tables, state.settings.roots.size(), pending));
  HEADRACE_TRY(read_open(tables, state.settings.roots.size(), state.open));
  HEADRACE_TRY(read_mounts(tables, state));
  HEADRACE_TRY(read_problems(tables, state.problems));
  if (!tables.whole()) return tables.wrong("a part of it is damaged or missing");
  return state;
}

}  // namespace headrace::collect
