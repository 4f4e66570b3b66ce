#include "events/meanings.h"

#include <algorithm>
#include <utility>

namespace headrace::events {

void Meanings::extend(std::span<const Reference> references) {
  for (const Reference& reference :
       references.subspan(std::min(size(), references.size()))) {  // their numbers are given: also of two with one id
    numbers_.try_emplace(reference.id, static_cast<uint32_t>(ids_.size()));
    ids_.push_back(reference.id);
    classes_.push_back(reference.time_class);
    above_.push_back(is_above_files(reference.layer));
    has_name_.push_back(true);
    named_.push_back(reference);
  }
}

uint32_t Meanings::number_of(uint64_t id, model::TimeClass time_class) {
  const auto [place, is_new] = numbers_.try_emplace(id, static_cast<uint32_t>(ids_.size()));
  if (is_new) {
    ids_.push_back(id);
    classes_.push_back(time_class);
    above_.push_back(0);
    has_name_.push_back(false);
  }
  return place->second;
}

uint32_t Meanings::add(Reference reference) {
  const uint32_t number = number_of(reference.id, reference.time_class);
  above_[number] = is_above_files(reference.layer);
  if (!has_name_[number]) named_.push_back(std::move(reference));
  has_name_[number] = true;
  return number;
}

}  // namespace headrace::events
