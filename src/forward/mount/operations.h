// What the kernel asks of a mount, by libfuse's low-level interface: one answer for each call.
#pragma once
#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

#include "forward/mount/session.h"

namespace headrace::forward::mount {

inline Mount& mount_of(fuse_req_t request) { return static_cast<Session*>(fuse_req_userdata(request))->mount(); }
inline Opened& opened_of(const fuse_file_info* file) { return *reinterpret_cast<Opened*>(file->fh); }
inline void answer(fuse_req_t request, int error) { fuse_reply_err(request, error); }

/// Tells the kernel of what a name led to.
void answer_entry(fuse_req_t request, fuse_ino_t directory, const char* name, Outcome<Node> node);
void answer_attributes(fuse_req_t request, Item& item, const Outcome<Attributes>& attributes);
fuse_entry_param entry_of(Mount& mount, Item& item, const Attributes& attributes);

// names.cc
void look_up(fuse_req_t request, fuse_ino_t directory, const char* name);
void forget(fuse_req_t request, fuse_ino_t id, uint64_t times);
void forget_many(fuse_req_t request, size_t count, fuse_forget_data* items);
void make_node(fuse_req_t request, fuse_ino_t directory, const char* name, mode_t mode, dev_t device);
void make_directory(fuse_req_t request, fuse_ino_t directory, const char* name, mode_t mode);
void make_symlink(fuse_req_t request, const char* target, fuse_ino_t directory, const char* name);
void make_link(fuse_req_t request, fuse_ino_t id, fuse_ino_t directory, const char* name);
void read_link(fuse_req_t request, fuse_ino_t id);
void unlink_name(fuse_req_t request, fuse_ino_t directory, const char* name);
void remove_directory(fuse_req_t request, fuse_ino_t directory, const char* name);
void rename_name(fuse_req_t request, fuse_ino_t directory, const char* name, fuse_ino_t to, const char* new_name,
                 unsigned flags);
// attributes.cc
void get_attributes(fuse_req_t request, fuse_ino_t id, fuse_file_info* file);
void set_attributes(fuse_req_t request, fuse_ino_t id, struct stat* to, int which, fuse_file_info* file);
void check_access(fuse_req_t request, fuse_ino_t id, int mode);
void get_space(fuse_req_t request, fuse_ino_t id);
// files.cc
void open_file(fuse_req_t request, fuse_ino_t id, fuse_file_info* file);
void create_file(fuse_req_t request, fuse_ino_t directory, const char* name, mode_t mode, fuse_file_info* file);
void read_file(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, fuse_file_info* file);
void write_file(fuse_req_t request, fuse_ino_t id, const char* bytes, size_t size, off_t offset, fuse_file_info* file);
void flush_file(fuse_req_t request, fuse_ino_t id, fuse_file_info* file);
void sync_file(fuse_req_t request, fuse_ino_t id, int data_only, fuse_file_info* file);
void release_file(fuse_req_t request, fuse_ino_t id, fuse_file_info* file);
// directories.cc
void open_directory(fuse_req_t request, fuse_ino_t id, fuse_file_info* file);
void read_directory(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, fuse_file_info* file);
void release_directory(fuse_req_t request, fuse_ino_t id, fuse_file_info* file);
void sync_directory(fuse_req_t request, fuse_ino_t id, int data_only, fuse_file_info* file);
void control(fuse_req_t request, fuse_ino_t id, unsigned command, void* argument, fuse_file_info* file, unsigned flags,
             const void* in, size_t in_bytes, size_t out_bytes);
// locks.cc
void get_lock(fuse_req_t request, fuse_ino_t id, fuse_file_info* file, struct flock* lock);
void set_lock(fuse_req_t request, fuse_ino_t id, fuse_file_info* file, struct flock* lock, int waits);
void lock_whole(fuse_req_t request, fuse_ino_t id, fuse_file_info* file, int operation);

}  // namespace headrace::forward::mount
