// What happens when the memory limit is reached: small, closed records are added to a roll-up of their directory.
//
// A fold stops the world: it makes every other thread leave its update section (membarrier, see update.h), so records
// can be moved while no pointer into them is in use. Files that are open, or in a call, are referenced and stay. Of the
// rest those that moved the fewest bytes go first, so the largest files keep their records.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// Makes every other thread leave its update section and wait; false when one does not, in 0.1 s. Either way
/// resume_world() must follow. Lock held, inside a section.
bool stop_world();
void resume_world();
/// In a child that was forked while another thread had stopped the world: that thread does not exist here, and what it
/// was doing is half done. From now on sections cannot be entered, and those that go on find no memory.
void never_resume();
bool never_resumes();
/// Returns once the world goes on, or before: the caller looks again. Not inside a section.
void wait_while_stopped();

/// Frees about a quarter of the records. False: nothing could be freed. Lock held, inside a section.
bool fold_some();
/// Like allocate(), after a fold where there was no room. For what no fold may move away: the caller holds no pointer
/// into a record that is not referenced. Lock held, inside a section.
uint32_t allocate_or_fold(uint32_t bytes);

/// The roll-up record that takes what happens to `path` when it has no record of its own; 0 when there is no room even
/// for that. Lock held.
uint32_t rollup_for(const char* path, uint32_t length);

/// True when records of `path`'s directory, or of one above it, were folded, so a new record of the path may lack its
/// past.
bool directory_was_folded(const char* path, uint32_t length);
/// Forgets everything (a new spool).
void reset_folds();

}  // namespace headrace::capture
