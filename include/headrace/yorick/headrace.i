/* headrace.i: names for parts of a run, so that what a program reads and writes there is counted by itself.
 *
 *   #include "headrace.i"
 *   headrace_phase, "dump";
 *   write_dump;
 *   headrace_phase_end, "dump";
 *
 * Needs the plug-in headrace.so in the directory of this file, or in one that plug_in searches; the script `build`
 * beside this file makes it. Without it the functions are there and do nothing, which rank 0 says once. Under mpy
 * include this file on all ranks, by mp_include or mp_require.
 */

func headrace_phase(name)
/* DOCUMENT headrace_phase, name
         or phase = headrace_phase(name)
     begins the phase NAME, inside of the innermost one that is open ("dump/write"). What the process reads and
     writes until its end is counted by itself when the program is traced by Headrace; else nothing happens.

     The second form returns an object with which the phase ends: when the function returns whose local variable it
     is, also by an error. In the first form end it by headrace_phase_end.

   SEE ALSO: headrace_phase_end
 */
{ return; }

func headrace_phase_end(name)
/* DOCUMENT headrace_phase_end, name
         or headrace_phase_end
     ends the innermost phase NAME that is open, with all that was left open inside of it; without NAME, the
     innermost of any name. Does nothing where none is open.

   SEE ALSO: headrace_phase
 */
{ return; }

func _headrace_load(file)
/* xxDOCUMENT _headrace_load, current_include()
     loads the plug-in. Looks for its file before, because under mpy an error of plug_in would end the run.
 */
{
  own = strpart(file, strgrep("^.*/", file));
  if (!own) own = "./";
  others = plug_dir();
  places = _(own, others, Y_HOME+"lib");
  for (i=1 ; i<=numberof(places) ; ++i) {
    if (open(places(i)+"/headrace.so", "r", 1)) {
      plug_dir, places(i);
      plug_in, "headrace";
      plug_dir, others;
      return;
    }
  }
  if (is_void(mp_rank) || !mp_rank)
    write, format="headrace.i: no headrace.so in %s or where plug_in looks: phases are not recorded\n", own;
}
_headrace_load, current_include();

/* These take the place of the functions above when the plug-in is loaded. */
extern headrace_phase;
extern headrace_phase_end;
