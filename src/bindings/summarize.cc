#include "bindings/summarize.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include "base/hash.h"
#include "bindings/errors.h"
#include "bindings/log.h"
#include "bindings/log_summary.h"

namespace headrace::bindings {
namespace {

constexpr uint64_t kMostJobs = 100'000;  // of one file

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr size_t kBlock = 1 << 18;
constexpr std::array<char, 8> kSalt = {'h', 'e', 'a', 'd', 'r', 'a', 'c', 'e'};

// Chains over blocks. The second one has some bytes before each block, so that two files that meet in the first do not
// in the second.
Content content_of(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) check({base::Code::kIo, path + ": cannot be opened"});
  thread_local std::vector<char> salted(kSalt.size() + kBlock);
  std::copy(kSalt.begin(), kSalt.end(), salted.begin());
  char* const block = salted.data() + kSalt.size();
  Content content{1, 1};
  for (size_t read = 0; (read = std::fread(block, 1, kBlock, file.get())) > 0;) {
    content.id = base::mix(content.id, base::hash_bytes(block, read));
    content.more = base::mix(content.more, base::hash_bytes(salted.data(), kSalt.size() + read));
  }
  if (std::ferror(file.get())) check({base::Code::kIo, path + ": cannot be read"});
  return content;
}

std::vector<JobSummary> summaries_of(const std::string& path) {
  const Content content = content_of(path);
  std::vector<JobSummary> jobs;
  uint64_t count = 1;
  for (uint64_t job = 1; job <= count; ++job) {
    Log log(path, job);
    if (job == 1) count = log.jobs();
    if (count > kMostJobs) check({base::Code::kLimit, path + ": holds more than 100,000 jobs"});
    jobs.push_back(summarize(log, content, job));
    const std::string why = impossible(jobs.back());
    if (!why.empty()) check({base::Code::kCorrupt, path + ": " + why});
  }
  return jobs;
}

// Calls `work` with 0 to count − 1, by so many threads at most, this one among them, or by those that there is room
// for. It must not throw.
template <typename Work>
void by_threads(size_t count, uint32_t threads, const Work& work) {
  std::atomic<size_t> next = 0;
  const auto some = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    for (uint32_t i = 1; i < threads && i < count; ++i) others.emplace_back(some);
  } catch (const std::system_error&) {
  }
  some();
  for (std::thread& thread : others) thread.join();
}

}  // namespace

std::string hexadecimal(const Content& content) {
  std::array<char, 33> text;
  std::snprintf(text.data(), text.size(), "%016" PRIx64 "%016" PRIx64, content.id, content.more);
  return text.data();
}

std::vector<std::string> log_contents(const std::vector<std::string>& paths, uint32_t threads) {
  std::vector<std::string> contents(paths.size());
  by_threads(paths.size(), threads, [&](size_t i) {
    try {
      contents[i] = hexadecimal(content_of(paths[i]));
    } catch (const std::exception&) {  // reading it says why
      contents[i].clear();
    } catch (const Failure&) {
      contents[i].clear();
    }
  });
  return contents;
}

Summaries summarize_logs(const std::vector<std::string>& paths, uint32_t threads) {
  std::vector<std::vector<JobSummary>> found(paths.size());
  std::vector<std::string> reasons(paths.size());
  by_threads(paths.size(), threads, [&](size_t i) {
    try {
      found[i] = summaries_of(paths[i]);
    } catch (const Failure& failure) {
      reasons[i] = failure.status.message();
    } catch (const std::bad_alloc&) {
      reasons[i] = paths[i] + ": needs more memory than there is";
    } catch (const std::exception& error) {
      reasons[i] = paths[i] + ": " + error.what();
    }
  });
  Summaries result;
  SummaryTables tables;
  std::set<Content> contents;  // of several files with one content the first counts
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!reasons[i].empty()) {
      result.bad.push_back({i, reasons[i]});
      continue;
    }
    const bool is_new = found[i].empty() || contents.insert(found[i][0].content).second;
    for (const JobSummary& job : found[i]) {
      if (is_new) add(tables, i, job);
    }
    found[i] = {};
  }
  result.logs = tables.logs.finish();
  result.instances = tables.instances.finish();
  result.files = tables.files.finish();
  result.access_sizes = tables.access_sizes.finish();
  result.facts = tables.facts.finish();
  return result;
}

}  // namespace headrace::bindings
