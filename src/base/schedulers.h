// The variables by which batch schedulers tell a process its job. The first that is set counts.
#pragma once

namespace headrace::base {

struct SchedulerVariable {
  const char *variable, *scheduler;
};

inline constexpr SchedulerVariable kSchedulers[] = {
    {"SLURM_JOB_ID", "slurm"},  {"PBS_JOBID", "pbs"},  {"LSB_JOBID", "lsf"}, {"FLUX_JOB_ID", "flux"},
    {"COBALT_JOBID", "cobalt"}, {"OAR_JOB_ID", "oar"}, {"PJM_JOBID", "pjm"}, {"LOADL_STEP_ID", "loadl"},
};

/// Longest job id that is kept, with the scheduler's name.
inline constexpr unsigned kLongestSchedulerJob = 120;

}  // namespace headrace::base
