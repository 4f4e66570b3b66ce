// Undoes what a kill left half done, by the rules at the top of spool_layout.h.
#pragma once
#include "capture/harvest/damage.h"
#include "capture/harvest/spool_bytes.h"
#include "capture/spool_layout.h"

namespace headrace::capture {

/// Puts journalled words back and takes an unfinished fold out again. Doing it twice changes nothing more.
void repair(SpoolBytes& bytes, const Header& header, DamageList& damage);

}  // namespace headrace::capture
