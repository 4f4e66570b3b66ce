// Counts the events of a rank that a trace of it would have, and says how many a second they were.
//
//   mpicc.openmpi -shared -fPIC -O2 -o count.so examples/events/count.c
//   mpirun.openmpi -np 2 -x LD_PRELOAD=$PWD/count.so ./stencil
//
// An event is a call of MPI, an operation on a file that the program opened, or a region: a function that was entered
// and left, which compilers report with -finstrument-functions. Counted is from the end of MPI_Init to the begin of
// MPI_Finalize; of MPI, what the examples call often or for I/O; of files, what they do themselves. What an MPI library
// does inside of a call is left out.
//
// OTF, and so the paper on S3D, has records instead: a region or call is entered and left, a message is sent or
// received. They are counted beside.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

static struct {
  uint64_t regions, calls, operations, messages;
} counted;
static double began;
static int counting, inside;  // of a call of MPI

enum { kFiles = 1024 };
static char opened[kFiles];  // by descriptor: pipes and sockets of MPI are none of the program's files

void __cyg_profile_func_enter(void* function, void* from) {
  (void)function, (void)from;
  counted.regions += (uint64_t)counting;
}

void __cyg_profile_func_exit(void* function, void* from) { (void)function, (void)from; }

static void report(void) {
  const double seconds = PMPI_Wtime() - began;
  const uint64_t events = counted.regions + counted.calls + counted.operations;
  const double mine[] = {(double)events,     (double)counted.regions,        (double)counted.calls,
                         counted.operations, 2. * events + counted.messages, seconds};
  enum { kFigures = sizeof mine / sizeof *mine };
  double sum[kFigures];
  int rank, ranks;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Reduce(mine, sum, kFigures, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  for (int i = 0; i < kFigures; ++i) sum[i] /= ranks;
  fprintf(
      stderr,
      "a rank: %.0f events (%.0f regions, %.0f calls of MPI, %.0f operations on files) in %.2f s: %.0f events, %.0f "
      "records of OTF a second\n",
      sum[0], sum[1], sum[2], sum[3], sum[5], sum[0] / sum[5], sum[4] / sum[5]);
}

int MPI_Init(int* count, char*** words) {
  const int code = PMPI_Init(count, words);
  began = PMPI_Wtime();
  counting = 1;
  return code;
}

int MPI_Finalize(void) {
  counting = 0;
  report();
  return PMPI_Finalize();
}

// name(parameters) calls what is below; `messages` records are made of what it sends or receives.
#define CALL(name, parameters, arguments, with)        \
  int MPI_##name parameters {                          \
    counted.calls += (uint64_t)counting;               \
    counted.messages += (uint64_t)(counting * (with)); \
    ++inside;                                          \
    const int code = PMPI_##name arguments;            \
    --inside;                                          \
    return code;                                       \
  }

CALL(Isend, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r),
     (b, n, t, to, tag, c, r), 1)
CALL(Irecv, (void* b, int n, MPI_Datatype t, int of, int tag, MPI_Comm c, MPI_Request* r), (b, n, t, of, tag, c, r), 1)
CALL(Waitall, (int n, MPI_Request* r, MPI_Status* s), (n, r, s), 0)
CALL(Allreduce, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c), 1)
CALL(Barrier, (MPI_Comm c), (c), 1)
CALL(Gatherv,
     (const void* a, int n, MPI_Datatype t, void* b, const int* m, const int* d, MPI_Datatype u, int root, MPI_Comm c),
     (a, n, t, b, m, d, u, root, c), 1)
CALL(File_open, (MPI_Comm c, const char* path, int mode, MPI_Info i, MPI_File* f), (c, path, mode, i, f), 0)
CALL(File_close, (MPI_File * f), (f), 0)
CALL(File_set_size, (MPI_File f, MPI_Offset n), (f, n), 0)
CALL(File_set_view, (MPI_File f, MPI_Offset o, MPI_Datatype t, MPI_Datatype u, const char* r, MPI_Info i),
     (f, o, t, u, r, i), 0)
CALL(File_write_at, (MPI_File f, MPI_Offset o, const void* b, int n, MPI_Datatype t, MPI_Status* s), (f, o, b, n, t, s),
     0)
CALL(File_write_at_all, (MPI_File f, MPI_Offset o, const void* b, int n, MPI_Datatype t, MPI_Status* s),
     (f, o, b, n, t, s), 0)
CALL(File_write_all, (MPI_File f, const void* b, int n, MPI_Datatype t, MPI_Status* s), (f, b, n, t, s), 0)
CALL(File_read_at_all, (MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Status* s), (f, o, b, n, t, s), 0)
CALL(File_read_all, (MPI_File f, void* b, int n, MPI_Datatype t, MPI_Status* s), (f, b, n, t, s), 0)

static int counts(void) { return counting && !inside; }

static int known(int file) { return counts() && file >= 0 && file < kFiles && opened[file]; }

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(more, int) : 0;
  va_end(more);
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  const int file = next(path, flags, mode);
  if (file >= 0 && file < kFiles) opened[file] = (char)counts();
  counted.operations += (uint64_t)known(file);
  return file;
}

// An operation that counts if `whether` says so.
#define OPERATION(result, name, parameters, arguments, whether)      \
  result name parameters {                                           \
    static result(*next) parameters;                                 \
    if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    counted.operations += (uint64_t)(whether);                       \
    return next arguments;                                           \
  }

OPERATION(ssize_t, read, (int file, void* b, size_t n), (file, b, n), known(file))
OPERATION(ssize_t, write, (int file, const void* b, size_t n), (file, b, n), known(file))
OPERATION(int, close, (int file), (file), known(file))
OPERATION(FILE*, fopen, (const char* path, const char* mode), (path, mode), counts())
OPERATION(size_t, fread, (void* b, size_t n, size_t m, FILE* f), (b, n, m, f), counts())
OPERATION(size_t, fwrite, (const void* b, size_t n, size_t m, FILE* f), (b, n, m, f), counts())
OPERATION(int, fclose, (FILE * f), (f), counts())
