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

struct HeadraceCluster {
  long error;           /* 0: clusters were found; the others: enum headrace_cluster_result in headrace/clusters.h */
  string why;           /* the error in words */
  long cluster;         /* the one nearest to this rank; that of the most members is 0 */
  long clusters;        /* how many there are */
  long size;            /* ranks in this one that are no outliers */
  long representative;  /* the rank that stands for it */
  long outlier;         /* 1: this rank lies outside of all clusters */
  long missing;         /* 1: this rank has no finished instance of the phase, and took part as idle */
  long ranks_missing;   /* how many ranks that is so of */
  long outliers;        /* how many ranks are outliers */
  long instance;        /* of the phase, of this rank: 1, 2, ...; 0: the whole run, or missing */
  double distance;      /* seconds by which this rank differs from the representative, over all functions */
};

func headrace_cluster_phase(name)
/* DOCUMENT mine = headrace_cluster_phase(name)
         or mine = headrace_cluster_phase()
     which kind of behaviour this rank shows in the latest finished instance of the phase NAME ("step/dump"), or in
     the whole run so far: a HeadraceCluster. Every rank calls it. Unless mine.error is 0, mine.why says why there are
     no clusters; without a tracer or the plug-in error is 1.

   SEE ALSO: headrace_phase
 */
{
  mine = HeadraceCluster();
  why = string(0);
  found = _headrace_cluster(name, why);
  mine.error = long(found(1));
  mine.why = why;
  if (mine.error) return mine;
  mine.cluster = long(found(2));
  mine.clusters = long(found(3));
  mine.size = long(found(4));
  mine.representative = long(found(5));
  mine.outlier = long(found(6));
  mine.missing = long(found(7));
  mine.ranks_missing = long(found(8));
  mine.outliers = long(found(9));
  mine.instance = long(found(10));
  mine.distance = found(11);
  return mine;
}

func _headrace_cluster(name, &why)
/* xxDOCUMENT _headrace_cluster(name, why)
     without the plug-in.
 */
{
  why = "this process is not traced by Headrace";
  return [1.];
}

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
extern _headrace_cluster;
