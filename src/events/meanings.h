#pragma once
// What the references of events stand for, by number, while events are written part by part: numbers stay.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/event.h"

namespace headrace::events {

/// A row of the table `references`.
struct Reference {
  uint64_t id = 0;                               // base::hash_text of "kind layer name"
  std::string kind = {}, layer = {}, name = {};  // kind: "region", "function", "communicator" or "counter"
  model::TimeClass time_class = model::TimeClass::kProgram;
};

/// Whether operations of this layer are made of others on files, so that bytes of both would be counted twice.
inline bool is_above_files(std::string_view layer) { return layer == "mpiio" || layer == "hdf5" || layer == "pnetcdf"; }

/// One thread at a time. For one writer: it keeps how far that has stored them.
class Meanings {
 public:
  Meanings() = default;
  explicit Meanings(std::span<const Reference> references) { extend(references); }

  /// Takes those behind the first size() of a list that has grown. Their numbers are their places in it: only where no
  /// others were added.
  void extend(std::span<const Reference> references);

  /// The number of this one: a new one, the last, unless one with its id is there.
  uint32_t add(Reference reference);
  /// The same of one whose name only the file knows.
  uint32_t number_of(uint64_t id, model::TimeClass time_class);

  size_t size() const { return ids_.size(); }
  std::span<const uint64_t> ids() const { return ids_; }
  std::span<const model::TimeClass> classes() const { return classes_; }
  std::span<const uint8_t> above() const { return above_; }  // 1: is_above_files()
  const std::vector<Reference>& named() const { return named_; }

 private:
  friend class TraceWriter;
  std::vector<uint64_t> ids_;
  std::vector<model::TimeClass> classes_;
  std::vector<uint8_t> above_;
  std::vector<bool> has_name_;
  std::vector<Reference> named_;  // in the order in which they came
  std::unordered_map<uint64_t, uint32_t> numbers_;
  size_t stored_ = 0;  // of named_
};

}  // namespace headrace::events
