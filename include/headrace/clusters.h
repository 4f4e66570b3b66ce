/* Groups of ranks, while the program runs: which kind of behaviour this rank shows in a phase, and whether it is like
 * no other.
 *
 *   #include <headrace/clusters.h>
 *
 *   struct headrace_cluster mine;
 *   int error = headrace_cluster_phase("dump", &mine);     every rank of MPI_COMM_WORLD calls it
 *   if (error) fprintf(stderr, "%s\n", headrace_cluster_error(error));
 *   else if (mine.outlier) fprintf(stderr, "rank %d is slow or odd\n", rank);
 *
 * Ranks are compared by the seconds that each spent in each function in the latest finished instance of the phase
 * (headrace/phases.h), as `headrace cluster JOB.hr --phase dump --instance N` does after the run. See
 * docs/clustering.md.
 *
 * Nothing has to be linked: without the tracer the call returns HEADRACE_CLUSTER_NOT_TRACED. C99 and later, C++98 and
 * later, GCC and Clang. Collective: every rank of MPI_COMM_WORLD calls it, between MPI_Init and MPI_Finalize, from a
 * thread that may call MPI, and no rank has another thread in it. The program's communicators, tags and error handlers
 * are not used. errno stays as it was.
 */
#ifndef HEADRACE_CLUSTERS_H
#define HEADRACE_CLUSTERS_H

#include <errno.h>
#include <stddef.h>

/* What a rank learns. Numbers of clusters begin with 0, that of the most members. */
struct headrace_cluster {
  int cluster;            /* the one nearest to this rank */
  int clusters;           /* how many there are */
  int size;               /* ranks in this one that are no outliers */
  int representative;     /* the rank that stands for it */
  int outlier;            /* 1: this rank lies outside of all clusters */
  int missing;            /* 1: this rank has no finished instance of the phase, and took part as idle */
  int ranks_missing;      /* how many ranks that is so of */
  int outliers;           /* how many ranks are outliers */
  unsigned long instance; /* of the phase, of this rank: 1, 2, ...; 0: the whole run, or missing */
  double distance;        /* seconds by which this rank differs from the representative, over all functions */
};

/* What headrace_cluster_phase returns. Unless it says otherwise, all ranks get the same. */
enum headrace_cluster_result {
  HEADRACE_CLUSTER_FOUND = 0,
  HEADRACE_CLUSTER_NOT_TRACED = 1,    /* this process is not: perhaps this rank alone */
  HEADRACE_CLUSTER_NO_MPI = 2,        /* before MPI_Init, after MPI_Finalize, or no MPI */
  HEADRACE_CLUSTER_UNKNOWN_MPI = 3,   /* an MPI that the tracer does not know */
  HEADRACE_CLUSTER_SOME_UNTRACED = 4, /* some rank of this node is not traced */
  HEADRACE_CLUSTER_DIFFERENT = 5,     /* ranks asked for different phases */
  HEADRACE_CLUSTER_NO_PHASE = 6,      /* no rank has finished such a phase */
  HEADRACE_CLUSTER_NOTHING_DONE = 7,  /* no rank called a function that is traced */
  HEADRACE_CLUSTER_NO_ANSWER = 8,     /* a rank did not come in time, now or in an earlier call: perhaps not to all */
  HEADRACE_CLUSTER_FAILED = 9         /* no memory, or the tracer is not complete: perhaps at this rank alone */
};

/* An error in words. */
static inline const char* headrace_cluster_error(int result) {
  switch (result) {
    case HEADRACE_CLUSTER_FOUND:
      return "clusters were found";
    case HEADRACE_CLUSTER_NOT_TRACED:
      return "this process is not traced by Headrace";
    case HEADRACE_CLUSTER_NO_MPI:
      return "MPI is not initialised, or finalised";
    case HEADRACE_CLUSTER_UNKNOWN_MPI:
      return "Headrace does not know this MPI library";
    case HEADRACE_CLUSTER_SOME_UNTRACED:
      return "not all ranks are traced by Headrace";
    case HEADRACE_CLUSTER_DIFFERENT:
      return "ranks asked for clusters of different phases";
    case HEADRACE_CLUSTER_NO_PHASE:
      return "no rank has finished such a phase";
    case HEADRACE_CLUSTER_NOTHING_DONE:
      return "no rank called a traced function: there is nothing to cluster by";
    case HEADRACE_CLUSTER_NO_ANSWER:
      return "another rank did not come in time";
    case HEADRACE_CLUSTER_FAILED:
      return "no memory, or a part of Headrace is missing";
    default:
      return "no result of headrace_cluster_phase";
  }
}

/* The function below must not have the symbol of the tracer's, which it looks for. */
#define headrace_cluster_phase headrace_clusters_of_phase

#if defined(__GNUC__) && defined(__ELF__)

static void* headrace_clusters_dlsym(void*, const char*) __attribute__((weakref("dlsym"), unused));

/* Clusters the ranks by what each did in its latest finished instance of `phase`: names of the phase and of those
 * around it, such as "step/dump". NULL: in the whole run so far. */
static inline __attribute__((unused)) int headrace_cluster_phase(const char* phase, struct headrace_cluster* mine) {
  union {
    void* object;
    int (*function)(const char*, struct headrace_cluster*);
  } found;
  const int error = errno;
  found.object = headrace_clusters_dlsym ? headrace_clusters_dlsym(NULL, "headrace_cluster_phase") : NULL;
  errno = error; /* NULL above: RTLD_DEFAULT */
  return found.object ? found.function(phase, mine) : HEADRACE_CLUSTER_NOT_TRACED;
}

#else

static inline int headrace_cluster_phase(const char* phase, struct headrace_cluster* mine) {
  (void)phase;
  (void)mine;
  return HEADRACE_CLUSTER_NOT_TRACED;
}

#endif

#endif
