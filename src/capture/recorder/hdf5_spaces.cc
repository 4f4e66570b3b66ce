#include "capture/recorder/hdf5_spaces.h"

#include <string.h>

namespace headrace::capture::hdf5 {
namespace {

constexpr int kMaxRank = 32;        // H5S_MAX_RANK
constexpr int kKeptDimensions = 4;  // of spaces whose selections are followed
constexpr uint32_t kEntries = 256;

/// A dataspace (with the selection, or with dimensions alone) or a type.
struct alignas(64) Entry {
  std::atomic<uint32_t> taken;
  uint32_t age;
  uint64_t handle;
  uint64_t points;  // of a type: its size
  bool selected, in_pieces;
  int8_t dimensions;  // 0: not known
  uint64_t size[kKeptDimensions];
};
HEADRACE_LARGE constinit Entry entries[kEntries]{};
std::atomic<uint32_t> age{1};

/// An entry for the time that this lives, unless another thread has it.
class Taken {
 public:
  explicit Taken(uint64_t handle) : entry_(&entries[(handle * 0x9e3779b97f4a7c15) >> 56]) {
    if (entry_->taken.exchange(1, std::memory_order_acquire)) entry_ = nullptr;
  }
  ~Taken() {
    if (entry_) entry_->taken.store(0, std::memory_order_release);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  Entry* operator->() const { return entry_; }
  explicit operator bool() const { return entry_ != nullptr; }
  bool is(uint64_t handle) const {
    return entry_ && entry_->handle == handle && entry_->age == age.load(std::memory_order_acquire);
  }
  /// Makes it the entry of `handle`, of which nothing is known.
  void begin(uint64_t handle) {
    entry_->handle = handle;
    entry_->age = age.load(std::memory_order_acquire);
    entry_->selected = entry_->in_pieces = false;
    entry_->dimensions = 0;
  }

 private:
  Entry* entry_;
};

/// Whether a regular pattern is one piece of its dataspace: its last dimensions are whole, and those before the first
/// that is not have one place.
bool is_one_piece(int dimensions, const uint64_t* size, const uint64_t* stride, const uint64_t* count,
                  const uint64_t* block) {
  bool whole = true;
  for (int i = dimensions - 1; i >= 0; --i) {
    const uint64_t wide = block ? block[i] : 1, step = stride ? stride[i] : 1, length = count[i] * wide;
    if (length == 0) return true;
    if (count[i] > 1 && step != wide) return false;
    if (!whole && length != 1) return false;
    if (length != size[i]) whole = false;
  }
  return true;
}

bool ask_in_pieces(const Library& m, Id space, uint64_t points) {
  enum { kPoints = 1, kHyperslab = 2 };  // H5S_sel_type
  uint64_t size[kMaxRank], start[kMaxRank], stride[kMaxRank], count[kMaxRank], block[kMaxRank];
  const Api& ask = m.ask;
  const int type = ask.Sget_select_type(space);
  if (type != kPoints && type != kHyperslab) return false;
  if (type == kPoints || ask.Sis_regular_hyperslab(space) <= 0) return points > 1;
  const int dimensions = ask.Sget_simple_extent_ndims(space);
  if (dimensions < 1 || dimensions > kMaxRank || ask.Sget_simple_extent_dims(space, size, nullptr) < 0) return false;
  if (ask.Sget_regular_hyperslab(space, start, stride, count, block) < 0) return false;
  return !is_one_piece(dimensions, size, stride, count, block);
}

/// The dimensions of a space that are kept with its entry; false: too many.
bool know_dimensions(const Library& m, Id space, const Taken& entry) {
  if (entry->dimensions > 0) return true;
  const int dimensions = m.ask.Sget_simple_extent_ndims(space);
  if (dimensions < 1 || dimensions > kKeptDimensions) return false;
  if (m.ask.Sget_simple_extent_dims(space, entry->size, nullptr) < 0) return false;
  entry->dimensions = static_cast<int8_t>(dimensions);
  return true;
}

}  // namespace

bool can_ask(const Api& ask) {
  return ask.Sget_select_npoints && ask.Sget_select_type && ask.Sis_regular_hyperslab && ask.Sget_regular_hyperslab &&
         ask.Sget_simple_extent_ndims && ask.Sget_simple_extent_dims && ask.Tget_size && ask.Dget_space && ask.Sclose;
}

bool selection_of(const Library& m, Id space, Selection* selection) {
  const uint64_t handle = handle_of(m, space);
  Taken entry(handle);
  if (entry.is(handle) && entry->selected) {
    *selection = {entry->points, entry->in_pieces};
    return true;
  }
  const int64_t points = m.ask.Sget_select_npoints(space);
  if (points < 0) return false;
  *selection = {static_cast<uint64_t>(points), ask_in_pieces(m, space, static_cast<uint64_t>(points))};
  if (!entry) return true;
  if (!entry.is(handle)) entry.begin(handle);
  entry->points = selection->points;
  entry->in_pieces = selection->in_pieces;
  entry->selected = true;
  return true;
}

uint64_t size_of_type(const Library& m, Id type) {
  const uint64_t handle = handle_of(m, type);
  Taken entry(handle);
  if (entry.is(handle)) return entry->points;
  const uint64_t size = m.ask.Tget_size(type);
  if (entry) {
    entry.begin(handle);
    entry->points = size;
  }
  return size;
}

uint64_t forget(const Library& m, Id id) {
  const uint64_t handle = handle_of(m, id);
  Taken entry(handle);
  if (!entry)
    age.fetch_add(1, std::memory_order_acq_rel);
  else if (entry->handle == handle)
    entry->handle = 0;
  return 0;
}

uint64_t pattern_selected(const Library& m, Id space, int operation, const uint64_t* stride, const uint64_t* count,
                          const uint64_t* block, bool ok) {
  constexpr int kSet = 0;  // H5S_SELECT_SET
  const uint64_t handle = handle_of(m, space);
  Taken entry(handle);
  if (!entry) return age.fetch_add(1, std::memory_order_acq_rel), 0;
  if (!entry.is(handle)) entry.begin(handle);
  entry->selected = false;
  if (!ok || operation != kSet || !count || !can_ask(m.ask) || !know_dimensions(m, space, entry)) return 0;
  uint64_t points = 1;
  for (int i = 0; i < entry->dimensions; ++i) {
    if (count[i] == ~uint64_t{0} || (block && block[i] == ~uint64_t{0})) return 0;  // H5S_UNLIMITED
    points *= count[i] * (block ? block[i] : 1);
  }
  entry->points = points;
  entry->in_pieces = !is_one_piece(entry->dimensions, entry->size, stride, count, block);
  entry->selected = true;
  return 0;
}

}  // namespace headrace::capture::hdf5
