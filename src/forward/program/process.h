// What forwarding has of this process: locks that hold over fork, and descriptors of its own.
//
// Its sockets are in the program's table of descriptors. They get numbers that programs rarely reach, a program that
// closes all numbers does not close them, and one that takes such a number for itself gets it: the link finds out, by
// the inode, and connects again.
#pragma once
#include <cstdint>
#include <mutex>

namespace headrace::forward::program {

/// Of connections, and of the tables of descriptors and directories. Both are held over fork, so that a child finds
/// what they protect whole; the first may be held when the second is taken.
std::mutex& connection_mutex();
std::mutex& table_mutex();
/// Before the first call.
void prepare_process();

/// Changes in every forked child, whatever forked it. Never 0.
uint64_t process_generation();
/// How often this process has begun to make another one, or to become another program.
uint64_t children_begun();
void begin_child();
/// Whether this process has any that lives, or that it has not waited for.
bool has_children();

/// Moves a new descriptor of forwarding's own to where programs do not meet it.
int place_descriptor(int fd);
/// Whether the number is one of forwarding's own now. Preserves errno.
bool is_own_descriptor(int fd);
/// The lowest own number from `first` on, up to `last`; -1 when there is none.
int own_descriptor_in(unsigned first, unsigned last);
/// Closes what a child has got of its parent's.
void close_inherited_descriptors();

}  // namespace headrace::forward::program
