#include "programs/bench/common_options.h"
#include "programs/bench/replay.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kReplayHelp[] =
    "Usage: headrace bench replay JOB.hr [OPTION]...\n"
    "Does again what a recorded job did with files: same calls, sizes, offsets and\n"
    "order, with files of its own; and says whether that may stand for the job.\n"
    "\n"
    "JOB.hr is a job log with a trace beside it, or the trace JOB.trace.hr. Of a log\n"
    "alone, or one of Darshan, calls are made up that fit its sums. Each rank of the\n"
    "job is a rank here; of other jobs each process is.\n"
    "\n"
    "      --think-time      wait between calls as long as the job computed\n"
    "      --fold            fewer ranks: each does in turn what several did\n"
    "      --mpi LIBRARY     the MPI of the launcher, if it is not found by itself\n"
    "      --emulate PROFILE let files be slow: 200us for each read and write, or\n"
    "                        a profile of a file system\n"
    "      --dir DIR         where the run makes a directory for its files\n"
    "                        (default: the working directory)\n"
    "      --name NAME       of that directory, to find it again\n"
    "      --keep            leave the files there\n"
    "      --json            all figures, as JSON\n"
    "  -q, --quiet           no progress\n"
    "      --help            show this\n"
    "\n"
    "Example:\n"
    "  headrace run --trace -o job.hr -- mpirun -n 4 ./app\n"
    "  mpirun -n 4 headrace bench replay job.hr --dir /scratch/me\n";

}  // namespace

Result<BenchSettings> parse_replay(const std::vector<std::string>& words) {
  BenchSettings s;
  ReplaySettings replaying;
  std::vector<std::string> rest = words;
  if (!rest.empty() && !rest[0].starts_with("-")) {
    replaying.job = rest[0];
    rest.erase(rest.begin());
  }
  const Options options = {{"think-time", flag(&replaying.think)},
                           {"fold", flag(&replaying.fold)},
                           {"mpi", text(&s.mpi)},
                           {"emulate", text(&s.emulate)},
                           {"dir", text(&s.directory)},
                           {"name", text(&s.name)},
                           {"keep", flag(&s.keep)},
                           {"json", flag(&s.json)},
                           {"quiet", flag(&s.quiet)}};
  HEADRACE_TRY(parse_words(rest, options, kReplayHelp));
  HEADRACE_TRY(check_options(s));
  if (replaying.job.empty())
    return Status(Code::kInvalid, "name the log of the job first: headrace bench replay job.hr");
  s.run = [replaying](const BenchSettings& settings, workload::Ranks& ranks, int nodes,
                      const volatile sig_atomic_t* stop) { return replay(settings, replaying, ranks, nodes, stop); };
  return s;
}

}  // namespace headrace::programs
