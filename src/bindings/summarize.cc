#include "bindings/summarize.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <new>
#include <set>
#include <thread>

#include "base/hash.h"
#include "bindings/errors.h"
#include "bindings/log.h"
#include "bindings/log_summary.h"

namespace headrace::bindings {
namespace {

constexpr uint64_t kMostJobs = 100'000;  // of one file

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Of a file's content: a chain over blocks.
uint64_t content_of(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) check({base::Code::kIo, path + ": cannot be opened"});
  std::vector<char> block(1 << 18);
  uint64_t state = 1;
  for (size_t read = 0; (read = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
    state = base::mix(state, base::hash_bytes(block.data(), read));
  }
  if (std::ferror(file.get())) check({base::Code::kIo, path + ": cannot be read"});
  return state;
}

std::vector<JobSummary> summaries_of(const std::string& path) {
  const uint64_t content = content_of(path);
  std::vector<JobSummary> jobs;
  uint64_t count = 1;
  for (uint64_t job = 1; job <= count; ++job) {
    Log log(path, job);
    if (job == 1) count = log.jobs();
    if (count > kMostJobs) check({base::Code::kLimit, path + ": holds more than 100,000 jobs"});
    jobs.push_back(summarize(log, content, job));
  }
  return jobs;
}

}  // namespace

Summaries summarize_logs(const std::vector<std::string>& paths, uint32_t threads) {
  std::vector<std::vector<JobSummary>> found(paths.size());
  std::vector<std::string> reasons(paths.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < paths.size(); i = next++) {
      try {
        found[i] = summaries_of(paths[i]);
      } catch (const Failure& failure) {
        reasons[i] = failure.status.message();
      } catch (const std::bad_alloc&) {
        reasons[i] = paths[i] + ": needs more memory than there is";
      } catch (const std::exception& error) {
        reasons[i] = paths[i] + ": " + error.what();
      }
    }
  };
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < threads && i < paths.size(); ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  Summaries result;
  SummaryTables tables;
  std::set<uint64_t> contents;  // of several files with one content the first counts
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
