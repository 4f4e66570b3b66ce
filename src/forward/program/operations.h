// The functions of the table in calls.h, each file's under its name. They expect to be called inside (inside.h).
#pragma once
#include "forward/client/client.h"
#include "forward/program/calls.h"

namespace headrace::forward::program {

// names.cc
bool open_path(int directory, const char* path, int flags, mode_t mode, int* result);
bool stat_path(int directory, const char* path, int flags, struct stat* into, int* result);
bool statx_path(int directory, const char* path, int flags, struct statx* into, int* result);
bool access_path(int directory, const char* path, int mode, int flags, int* result);
bool truncate_path(const char* path, off_t size, int* result);
bool chmod_path(int directory, const char* path, mode_t mode, int flags, int* result);
bool chown_path(int directory, const char* path, uid_t user, gid_t group, int flags, int* result);
bool utimens_path(int directory, const char* path, const timespec* times, int flags, int* result);
bool is_forwarded_path(int directory, const char* path);

// entries.cc
bool readlink_path(int directory, const char* path, char* into, size_t size, ssize_t* result);
bool unlink_path(int directory, const char* path, int flags, int* result);
bool remove_path(const char* path, int* result);
bool rename_path(int from_directory, const char* from, int to_directory, const char* to, unsigned flags, int* result);
bool link_path(int from_directory, const char* from, int to_directory, const char* to, int flags, int* result);
bool symlink_path(const char* target, int directory, const char* path, int* result);
bool mkdir_path(int directory, const char* path, mode_t mode, int* result);

bool temporary_path(char* pattern, int suffix, int flags, int* result);
/// The length of the path with all links resolved, which is in `into`; PATH_MAX at the most.
bool real_path(const char* path, char* into, ssize_t* result);

// working_directory.cc
bool change_directory(const char* path, int* result);
int change_directory_to(int fd);
ssize_t current_directory(char* into, size_t size);
const char* elsewhere(int directory, const char* path, int slot);
/// A descriptor of the kernel's part of a working directory, and what chdir would say of it.
bool working_directory(int directory, const char* path, int* result);

// programs.cc
bool forwarded_program(int directory, const char* path, unsigned how, char* const* arguments, Program* into,
                       int* result);
/// The same with another name for it than its path, in arguments; null: the path.
bool program_called(int directory, const char* path, const char* name, unsigned how, char* const* arguments,
                    Program* into, int* result);
void forget_program(const Program& program);

// spawn.cc
int begin_spawn(const char* path, unsigned how, const posix_spawn_file_actions_t* actions, char* const* arguments,
                Spawn* into);
void end_spawn(const Spawn& spawn);

// streams.cc
bool open_stream(const char* path, const char* mode, FILE** result);
FILE* stream_on(int fd, const char* mode);
bool reopen_stream(const char* path, const char* mode, FILE* stream, FILE** result);

// transfers.cc
ssize_t readv_file(int fd, const iovec* vector, int count);
ssize_t preadv_file(int fd, const iovec* vector, int count, off_t offset);
ssize_t writev_file(int fd, const iovec* vector, int count);
ssize_t pwritev_file(int fd, const iovec* vector, int count, off_t offset);
/// Bytes that go to many places, in their order. An error number.
int write_list(int fd, iovec bytes, const std::vector<Extent>& extents);
ssize_t copy_files(int in, off_t* in_offset, int out, off_t* out_offset, size_t size);
void* map_file(void* address, size_t size, int protection, int flags, int fd, off_t offset);

// files.cc
/// Says that the kernel refuses asynchronous I/O by io_uring or libaio.
void refused_file(int fd);
off_t lseek_file(int fd, off_t offset, int whence);
int fstat_file(int fd, struct stat* into);
int fstatx_file(int fd, struct statx* into);
int ftruncate_file(int fd, off_t size);
int allocate_file(int fd, int mode, off_t offset, off_t size);
int fsync_file(int fd);
int fchmod_file(int fd, mode_t mode);
int fchown_file(int fd, uid_t user, gid_t group);
int futimens_file(int fd, const timespec* times);
int fcntl_file(int fd, int command, void* argument);

// locks.cc: not inside one call, since signals are let through while they wait.
bool lock_ranges(int fd, int command, struct flock* lock, int* result);
int lock_whole(int fd, int operation);
int lock_from_position(int fd, int command, off_t size);
/// Before number `fd` is closed; `last` of its description.
void release_locks(Client& client, Description& file, bool last);
bool may_have_locks(Description& file);

// numbers.cc
int close_number(int fd);
int dup2_number(int fd, int target, int flags);
int close_range_numbers(unsigned first, unsigned last, int flags);
void duplicated_number(int fd, int copy);
void received_number(int fd);

// directories.cc
ssize_t getdents64_file(int fd, void* into, size_t size);
bool open_directory(const char* path, DIR** result);
DIR* open_directory_of(int fd);
bool is_forwarded_directory(DIR* stream);
dirent* read_directory(DIR* stream);
void seek_directory(DIR* stream, long position);
int close_directory(DIR* stream);

}  // namespace headrace::forward::program
