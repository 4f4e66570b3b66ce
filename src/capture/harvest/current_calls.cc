#include "capture/harvest/current_calls.h"

#include <limits.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/harvest/function_names.h"
#include "capture/spool_layout.h"

namespace headrace::capture {
namespace {

/// False at offset 0, which ends every chain.
template <typename T>
bool load(std::span<const std::byte> spool, uint64_t offset, T* to) {
  if (offset == 0 || offset > spool.size() || sizeof(T) > spool.size() - offset) return false;
  std::memcpy(static_cast<void*>(to), spool.data() + offset, sizeof(T));
  return true;
}

bool load_header(std::span<const std::byte> spool, Header* to) {
  if (spool.size() < sizeof *to) return false;
  std::memcpy(static_cast<void*>(to), spool.data(), sizeof *to);
  return true;
}

std::string text_at(std::span<const std::byte> spool, uint64_t offset, uint64_t length) {
  constexpr uint64_t kLongestName = 2 * PATH_MAX;
  if (length > kLongestName || offset > spool.size() || length > spool.size() - offset) return {};
  return {reinterpret_cast<const char*>(spool.data()) + offset, length};
}

UnfinishedCall call_of(const ThreadBlock& block, uint32_t depth, const ClockMap& clock) {
  const CurrentCall& call = block.calls[depth];
  const FunctionName known = function_name_of(call.function);
  UnfinishedCall made;
  made.thread = block.number;
  made.depth = depth;
  made.function = known.name ? known.name : "function " + std::to_string(call.function);
  made.layer = known.layer ? known.layer : "";
  if (call.by_path) made.path.assign(block.path, strnlen(block.path, sizeof block.path));
  made.start_ticks = call.start;
  made.start_at_ns = clock.at_ns(call.start);
  made.number = call.function;
  made.moves = call.moves;
  made.told = call.told != 0;
  return made;
}

/// Names the files by their records: by the name that they had last.
void name_files(std::span<const std::byte> spool, const Header& header,
                std::unordered_map<uint64_t, std::vector<size_t>> wanted, std::vector<UnfinishedCall>& calls) {
  Record record;
  Name final_name;
  std::unordered_set<uint64_t> seen;  // overwritten links may lead in circles
  for (uint64_t at = header.first_record; seen.insert(at).second && load(spool, at, &record); at = record.next) {
    const auto found = wanted.find(record.hash);
    if (found == wanted.end()) continue;
    std::string path = text_at(spool, at + sizeof record, record.name_length);
    if (record.final_name != 0 && load(spool, record.final_name, &final_name))
      path = text_at(spool, uint64_t{record.final_name} + sizeof final_name, final_name.length);
    for (const size_t call : found->second)
      if (!path.empty()) calls[call].path = path;
    wanted.erase(found);
  }
}

}  // namespace

std::vector<UnfinishedCall> read_current_calls(std::span<const std::byte> spool, const ClockMap& clock) {
  std::vector<UnfinishedCall> calls;
  std::unordered_map<uint64_t, std::vector<size_t>> files;  // by hash: which calls are on it
  Header header;
  if (!clock.known() || !load_header(spool, &header) || header.magic != kSpoolMagic || header.version != kSpoolVersion)
    return calls;
  std::unordered_set<uint64_t> seen;
  ThreadBlock block;
  for (uint64_t at = header.first_thread; seen.insert(at).second && load(spool, at, &block); at = block.next) {
    if (block.taken == 0) continue;
    for (uint32_t depth = 0; depth < std::min(block.in_calls, kCurrentCalls); ++depth) {
      if (block.calls[depth].over != 0 || block.calls[depth].start == 0) continue;
      if (block.calls[depth].file != 0) files[block.calls[depth].file].push_back(calls.size());
      calls.push_back(call_of(block, depth, clock));
    }
  }
  if (!files.empty()) name_files(spool, header, files, calls);
  std::stable_sort(calls.begin(), calls.end(),
                   [](const UnfinishedCall& one, const UnfinishedCall& other) { return one.thread < other.thread; });
  return calls;
}

}  // namespace headrace::capture
