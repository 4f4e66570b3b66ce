/* Files at forwarding servers, for programs that know about them. docs/forward.md has what servers promise.
 *
 *   #include <headrace/forward.h>
 *
 *   headrace_forward* servers;
 *   headrace_forward_file* file;
 *   if (headrace_forward_connect("/scratch/run7@unix:/tmp/run7.sock", NULL, 0, &servers) != 0)
 *     fprintf(stderr, "%s\n", headrace_forward_message());
 *   headrace_forward_open(servers, "out", O_CREAT | O_WRONLY, 0666, &file);
 *   int64_t where = headrace_forward_append(file, record, sizeof record, 0);
 *   headrace_forward_commit(file, 0, 0, 0, NULL, 0);
 *   headrace_forward_close(file);
 *   headrace_forward_disconnect(servers);
 *
 * Link with $(pkg-config --libs headrace-forward), or $(headrace config --ldflags-forward). C99 and C++98 and later.
 *
 * Results are 0 or a number of bytes, or an error number with a minus: -ENOENT. errno is left alone but for system
 * calls that fail inside. Lengths and offsets are bytes, offset + length < 2^63. Where no server answers within the
 * time of a call, it comes to -ETIMEDOUT, and may still be done. Texts are UTF-8 or any bytes but NUL; paths have at
 * most 4,095 of them.
 *
 * Safe in any thread, but a file or connection may be closed only when nobody uses it, and not from signal handlers.
 * After fork() all of it is the parent's: in a child calls fail with -ECHILD, and close and disconnect free memory
 * alone; connect again there. Over exec() nothing is kept.
 */
#ifndef HEADRACE_FORWARD_H
#define HEADRACE_FORWARD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct headrace_forward headrace_forward;                 /* a connection to the servers of a directory */
typedef struct headrace_forward_file headrace_forward_file;       /* an open file or directory */
typedef struct headrace_forward_request headrace_forward_request; /* a transfer that is under way, or done */

/* Connects. `spec` is what `headrace run --forward` takes: [PREFIX=]DIRECTORY@ADDRESS[,ADDRESS...]; all clients name
 * the servers in the same order. NULL: the first of the `headrace run --forward` or `headrace forward up` that this
 * program is under. `secret`: path of the file of the secret, needed for servers of other nodes, else NULL.
 * `timeout_ms` is for each call; 0: 120,000. -EINVAL: the spec; -EIO: refused, or nobody is there; see
 * headrace_forward_message. */
int headrace_forward_connect(const char* spec, const char* secret, uint32_t timeout_ms, headrace_forward** connection);
/* What was wrong with this thread's last connect, in words; "" where nothing was. Good until the next one. */
const char* headrace_forward_message(void);
/* All files and requests have to be gone. */
void headrace_forward_disconnect(headrace_forward* connection);

/* Paths are relative to DIRECTORY, or absolute and below PREFIX (-EXDEV where they are not). "." and ".." are taken off
 * by name. */

typedef struct headrace_forward_attributes {
  uint64_t inode, size, blocks;                  /* blocks of 512 bytes */
  uint32_t mode, links, user, group, block_size; /* mode with the type, as st_mode */
  int64_t accessed, modified, changed, born;     /* nanoseconds since 1970; born is 0 where it is not known */
} headrace_forward_attributes;

enum {
  HEADRACE_FORWARD_MODE = 1, /* what headrace_forward_set sets */
  HEADRACE_FORWARD_USER = 2,
  HEADRACE_FORWARD_GROUP = 4,
  HEADRACE_FORWARD_ACCESSED = 8,
  HEADRACE_FORWARD_MODIFIED = 16
};
#define HEADRACE_FORWARD_NOW INT64_MIN /* as a time that is set */

/* `flags`: O_CREAT, O_EXCL, O_TRUNC, O_DIRECTORY and O_NOFOLLOW mean what they do for open(2); the others are not
 * looked at. A new file has the permissions of `mode` less the process's umask; the server checks them at each call. */
int headrace_forward_open(headrace_forward* connection, const char* path, int flags, mode_t mode,
                          headrace_forward_file** file);
/* When it was written to through `file`, brings the data to the file system, as close(2) does, and gives the error of
 * that. `file` is gone in any case. */
int headrace_forward_close(headrace_forward_file* file);

int headrace_forward_stat(headrace_forward* connection, const char* path, int follow,
                          headrace_forward_attributes* attributes);
int headrace_forward_fstat(headrace_forward_file* file, headrace_forward_attributes* attributes);
/* Sets what `which` says, to what `attributes` has. */
int headrace_forward_set(headrace_forward_file* file, uint32_t which, const headrace_forward_attributes* attributes);
int headrace_forward_truncate(headrace_forward_file* file, uint64_t size);

int headrace_forward_remove(headrace_forward* connection, const char* path); /* a file or link */
int headrace_forward_rmdir(headrace_forward* connection, const char* path);
int headrace_forward_mkdir(headrace_forward* connection, const char* path, mode_t mode);
/* `replace` 0: -EEXIST where there is one. */
int headrace_forward_rename(headrace_forward* connection, const char* from, const char* to, int replace);
int headrace_forward_link(headrace_forward* connection, const char* from, const char* to);
int headrace_forward_symlink(headrace_forward* connection, const char* target, const char* path);
/* Bytes of the target, of which at most `size` are put to `target`, without NUL. */
ssize_t headrace_forward_readlink(headrace_forward* connection, const char* path, char* target, size_t size);
/* Calls `each` for all entries but "." and "..", until it gives another value than 0, which is then the result. `type`
 * is as DT_REG of dirent.h. `each` may call anything here. */
int headrace_forward_list(headrace_forward* connection, const char* path,
                          int (*each)(void* context, const char* name, uint64_t inode, unsigned type), void* context);

typedef struct headrace_forward_extent {
  uint64_t offset, length;
} headrace_forward_extent;

/* A range of a file that is not stored, and why: an error number. */
typedef struct headrace_forward_bad {
  uint64_t offset, length; /* length 0: to the end */
  int error;
} headrace_forward_bad;

enum {
  HEADRACE_FORWARD_THROUGH = 1, /* write, append: when it is done, it is stored, as with O_SYNC */
  HEADRACE_FORWARD_NO_SYNC = 2  /* commit: brings data to the file system, which may lose it in a crash: as close(2) */
};

/* Bytes that were read, fewer where the file ends; all bytes are written, or it fails. */
ssize_t headrace_forward_pread(headrace_forward_file* file, void* memory, size_t size, uint64_t offset);
ssize_t headrace_forward_pwrite(headrace_forward_file* file, const void* memory, size_t size, uint64_t offset,
                                uint32_t flags);

/* Many parts of memory from or to many extents of the file: one row of bytes each, of the same length (-EINVAL where
 * they are not). `counts` gets the bytes of each extent that were read, unless it is NULL. */
ssize_t headrace_forward_read_list(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                   const headrace_forward_extent* extents, size_t count, uint64_t* counts);
ssize_t headrace_forward_write_list(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                    const headrace_forward_extent* extents, size_t count, uint32_t flags);

/* Puts the bytes at the end of the file, in a row, and gives the offset where they are. No two appends get the same
 * bytes, whoever makes them, and nothing is left out between them. What one thread appends after another append was
 * submitted comes after it. */
int64_t headrace_forward_append(headrace_forward_file* file, const void* memory, size_t size, uint32_t flags);

/* Returns when all that was written to the range before, by anybody, is stored; length 0: to the end. Ranges that are
 * not stored are put to `bad`, at most `room` of them, and each is told once; the result is then the error of the first
 * with a minus. `*found` (may be NULL) gets how many there are. */
int headrace_forward_commit(headrace_forward_file* file, uint64_t offset, uint64_t length, uint32_t flags,
                            headrace_forward_bad* bad, size_t room, size_t* found);

/* The same without waiting. Memory, extents and counts are the caller's, and have to stay until the request is done, as
 * the file has to; lists of parts and extents are copied. A submission waits when 128 messages to a server are on their
 * way: one is at most 1 MiB. 0 or an error, such as -EINVAL, with no request then. `context` is yours, see
 * headrace_forward_context. */
int headrace_forward_submit_read(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                 const headrace_forward_extent* extents, size_t count, uint64_t* counts, void* context,
                                 headrace_forward_request** request);
int headrace_forward_submit_write(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                  const headrace_forward_extent* extents, size_t count, uint32_t flags, void* context,
                                  headrace_forward_request** request);
int headrace_forward_submit_append(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                   uint32_t flags, void* context, headrace_forward_request** request);
int headrace_forward_submit_commit(headrace_forward_file* file, uint64_t offset, uint64_t length, uint32_t flags,
                                   void* context, headrace_forward_request** request);
void* headrace_forward_context(const headrace_forward_request* request);

/* Waits, and gives what the call would have: bytes, the offset of an append, 0, or an error. Again and again the same.
 */
int64_t headrace_forward_wait(headrace_forward_request* request);
/* 1 when it is done, else 0; takes what has arrived, and does not wait. */
int headrace_forward_test(headrace_forward_request* request);
/* Ranges of a write or commit that are not stored, as headrace_forward_commit puts them. Waits. Gives their number. */
size_t headrace_forward_bad_ranges(headrace_forward_request* request, headrace_forward_bad* bad, size_t room);
/* Every request has to be freed; this waits until it is done. */
void headrace_forward_free(headrace_forward_request* request);

/* For poll(2) and event loops: a descriptor that is readable while headrace_forward_next has something to give. From
 * the first call on threads of the library, one for each server, take what arrives. -EMFILE and the like. Not to be
 * read or closed. */
int headrace_forward_descriptor(headrace_forward* connection);
/* A request that has been done since headrace_forward_descriptor was called first, each once, unless it was freed; NULL
 * where there is none. */
headrace_forward_request* headrace_forward_next(headrace_forward* connection);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
