// A call on a path: what every one of them does around its own part.
#pragma once
#include <errno.h>

#include <optional>

#include "forward/program/inside.h"
#include "forward/program/open_files.h"
#include "forward/program/places.h"

namespace headrace::forward::program {

/// Does `act(client)`, which gives an error number, for a place's servers; what it came to in `result`. False: there is
/// no place, and nothing was done.
template <typename R, typename Act>
bool at_place(const std::optional<Place>& place, R* result, Act act) {
  if (!place.has_value()) return false;
  Client* client = place->servers->client();
  const int error = client == nullptr ? EIO : place->servers->error(act(*client));
  if (client != nullptr) tell_again(*client, place->prefix);
  *result = error == 0 ? 0 : fail(error);
  return true;
}

}  // namespace headrace::forward::program
