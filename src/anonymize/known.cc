#include "anonymize/known.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_set>

namespace headrace::anonymize {
namespace {

using Words = std::unordered_set<std::string_view>;

Words words_of(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// The Filesystem Hierarchy Standard 3.0, and devices that programs use for their own sake.
constexpr std::string_view kSystemPaths =
    "/ /bin /boot /dev /dev/full /dev/null /dev/pts /dev/random /dev/shm /dev/tty /dev/urandom /dev/zero /etc /home "
    "/lib /lib64 /media /mnt /opt /proc /proc/self /root /run /sbin /srv /sys /tmp /usr /usr/bin /usr/include /usr/lib "
    "/usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/local/share /usr/sbin /usr/share /var "
    "/var/cache /var/lib /var/log /var/run /var/spool /var/tmp";

constexpr std::string_view kSuffixes =
    ".a .adios .asc .avi .bak .bin .bmp .bp .bz2 .c .cc .cfg .cgns .conf .cpp .csv .cxx .dat .db .exo .f .f03 .f08 "
    ".f77 .f90 .fits .gif .gz .h .h5 .hdf .hdf5 .hpp .hr .htm .html .idx .ini .jar .jpeg .jpg .js .json .lock .log .m "
    ".md .mod .mp4 .nc .nc4 .npy .npz .o .out .parquet .pdb .pdf .pkl .png .pt .pth .py .pyc .r .root .sh .silo .so "
    ".sqlite .sqlite3 .svg .tar .tex .tgz .tif .tiff .tmp .toml .trr .txt .vtk .vtu .wav .xdmf .xml .xtc .xz .yaml "
    ".yml .zarr .zip .zst";

constexpr std::string_view kPlaceholders = "<stdin> <stdout> <stderr> <pipe> <socket> <unknown>";

constexpr std::string_view kFileSystems =
    "9p afs autofs beegfs bpf btrfs ceph cgroup cgroup2 cifs configfs cvmfs2 debugfs devpts devtmpfs exfat ext2 ext3 "
    "ext4 f2fs fuse fuseblk fusectl gfs2 gpfs hugetlbfs iso9660 lustre mqueue nfs nfs4 none ntfs ocfs2 orangefs "
    "overlay "
    "proc pstore pvfs2 ramfs rootfs securityfs shm smb3 squashfs sysfs tmpfs tracefs udev vfat virtiofs xfs zfs";

constexpr std::string_view kMountFlags =
    "acl async atime auto bsd_df data=ordered data=journal data=writeback defaults dev diratime discard exec flock "
    "hard intr lazystatfs lazytime localflock noacl noatime noauto nobarrier nocheck nodev nodelalloc nodiratime "
    "nodiscard noexec noflock nointr nolock nosuid noquota nouser_xattr proto=rdma proto=tcp proto=udp relatime ro rw "
    "soft strictatime suid sync user_xattr";

constexpr std::string_view kMountNumbers =
    "agcount allocsize blksize blocksize inode64 logbsize logbufs max_read nconnect rsize stripe sunit swidth vers "
    "wsize";

// Words that hold no name, of all sentences in src/capture and src/programs that end in a log.
constexpr std::string_view kOwnWords =
    "among clustered clusters fewer instances phases representatives stand stood took "
    "- a accounting accumulate additions address afford again all allocated allowed an and annotations another "
    "anonymous "
    "anything any apart are argument arguments array as asks at atomic attempts attributes bad be became because been "
    "before began begin beginning behind belong belongs between beyond blocks boot both broken buffer buffered built "
    "but "
    "by byte bytes call called calls cannot capabilities capture captured change changed checksum child children class "
    "clock clocks close closed code command commands complete cookie copied copy could count counted counts cross "
    "current cut damage damaged data deleted descriptor descriptors device devices did died different digits "
    "directories "
    "directory disk do does done down each earlier early either empty end ended ends enough environment error errors "
    "even events every excluded exec executed executes exist exists exit exited expected fails failed failure far few "
    "figures "
    "file files filesystem find finish finished first flag folded follow for fork forked format found frame frames "
    "from "
    "full function functions gains give given glibc gone got group groups grow growth guessed had half hangs has have "
    "header headrace held here hold holds how however i/o id ids if image images in incomplete index inside instead "
    "interrupted into io_uring is it itself job jobs judged keep keeps kept key kill killed kind kinds known lack "
    "lacks "
    "large larger last later launcher least left length less library limit limits linked links list loaded loader "
    "loads "
    "lock locked locks log logs long longer lost machine made make makes many map mapped maps match meaning memory "
    "metadata middle might missing mmap mode module modules moment more most mount mounts move moved much musl must "
    "name "
    "names near need needed needs neither never new newer next no nobody none nor not note nothing now number numbers "
    "object of off offset offsets old older on once one only open opened opens operation operations or order other "
    "others out outside overwritten overwrote own owner page pages parent part parts path paths permission permitted "
    "pid "
    "pipe pipes place places possible preload preloaded privileges process processes profile program programs put "
    "raced "
    "raw read reads ready reason record recorded records region removed renamed repeated replaced resources restricted "
    "rights rings roll-up room root row rows run running runs same seen series set set-group-id set-user-id setuid "
    "several shared should signal signals since site sites size sizes slots small smaller so socket sockets some "
    "somebody something space span spans spool spooled spools stack stacks standard start started starts starved stat "
    "state static statically status stay stays stdio still stop stopped stored stream streams string such sum sums "
    "suspended symbol symbols system systems table tables take taken takes terminated text than that the their them "
    "then "
    "there these they this those though thread threads ticks time times to together told too too-large total totals "
    "trace "
    "truncated twice two type types unaligned uncertain under unfinished unit unknown unless unreadable until "
    "unused update used user users uses using value values very version vfork vforked was way were what when where "
    "whether which while whole whose why will with within without word words would write writer writes written wrong "
    "yes yet zero "
    "alone already answer asked back begins being can cat collect collects colons comes contradict converted details "
    "during else entry equal least less linked moved most operation shared user_data "
    "exclusion final fit fprintf fread free go handler hint identity its join journal know layout layouts leave local "
    "look looked magic "
    "may mib "
    "module's nowhere points ran reading recorder reinstall remove rest rules safely said second settings shard show "
    "spent "
    "spaces submitted through traced wait width writable you your yours … "
    "anonymize launched launchers message mpi_finalize mpi_init node over rank reduction see tell tells want working "
    "c addresses read ulimit -d -v programs "
    "asynchronous came completion fetched figure program's result ring saw "
    "all does install library-removed ln -s nodes phases preload uninstallation "
    "shows system's receives persistent requests other-user who dup2 hides "
    // Reasons of notes, and the words of the C library's error messages.
    "other-class no-memory no-space no-spool no-directory denied operation permitted such interrupted input/output "
    "argument resource temporarily unavailable cannot allocate busy invalid many large device stale handle quota "
    "exceeded transport endpoint connected timed reached access after attempted attempting available block corrupted "
    "cross-device due expired illegal implemented inappropriate installed ioctl level link loop loops names network "
    "non-empty protocol range read-only recoverable refused remote request required reset restarted seek software "
    "supported symbolic unreachable use hard stopped "
    // Of converted logs.
    "darshan darshan's knows lie negative nonsense ranges ranks says senseless sense shorter stands stripes striped "
    "ten time "
    "bg/q mdhim apxc apmpi dfs daos heatmap lustre mpi-io h5f h5d pnetcdf_file pnetcdf_var dxt_posix dxt_mpiio "
    "compressed decompressed traced lines spans makes version file's "
    // Values of columns whose texts are fixed.
    "slowest_read slowest_write largest_read largest_write file directory_rollup excluded_rollup stream vfork_child "
    "no_file "
    "exit_group posix stdio mpi mpiio hdf5 pnetcdf dataset stride count ns at_ns";

// Of the MPI standard (chapter I/O), of ROMIO, OMPIO and PnetCDF.
constexpr std::string_view kHints =
    "access_style appnum arch cb_block_size cb_buffer_size cb_config_list cb_nodes chunked chunked_item chunked_size "
    "collective_buffering direct_read direct_write file_perm ind_rd_buffer_size ind_wr_buffer_size io_node_list "
    "nb_proc nc_data_move_chunk_size nc_header_align_size nc_header_collective nc_header_read_chunk_size "
    "nc_in_place_swap nc_ibuf_size nc_num_aggrs_per_node nc_record_align_size nc_var_align_size num_files "
    "overwrite_timing pvfs2_debugmask pvfs2_listio_read pvfs2_listio_write pvfs2_posix_read pvfs2_posix_write "
    "romio_aggregator_list romio_cb_alltoall romio_cb_ds_threshold romio_cb_fr_alignment romio_cb_fr_type "
    "romio_cb_pfr romio_cb_read romio_cb_write romio_data_sieving_read romio_ds_read romio_ds_write "
    "romio_filesystem_type romio_lustre_co_ratio romio_lustre_coll_threshold romio_lustre_ds_in_coll "
    "romio_lustre_overstriping_ratio romio_lustre_start_iodevice romio_min_fdomain_size romio_no_indep_rw "
    "romio_onesided_always_rmw romio_synchronized_flush romio_visibility_immediate romio_wr_lock soft "
    "start_iodevice striping_factor striping_unit thread_level";

constexpr std::string_view kPropertyWords =
    "automatic automatically btree chunked collective compact contiguous default deflate disable disabled earliest "
    "enable enabled external false fapl fletcher32 float gzip independent infinite integer ior latest lzf mpio mpi-io "
    "nbit none no off on posix ufs random read_mostly read_once reverse_sequential scaleoffset sec2 sequential shuffle "
    "string struct szip true unlimited v18 v110 v112 v114 virtual write_mostly write_once yes lustre nfs gpfs eof "
    "mdt unused released foreign extension parity stale overstriped compressed "
    // Why an open failed.
    "a denied device directory disk exceeded failed file left levels links many no not of or permission quota "
    "read-only space such symbolic system too";

bool contains(const Words& words, std::string_view text) { return words.find(text) != words.end(); }

}  // namespace

bool is_hint(std::string_view key) {
  static const Words words = words_of(kHints);
  return contains(words, key);
}

bool is_property_word(std::string_view word) {
  static const Words words = words_of(kPropertyWords);
  return contains(words, word);
}

bool is_system_path(std::string_view path) {
  static const Words words = words_of(kSystemPaths);
  return contains(words, path);
}

bool is_common_suffix(std::string_view suffix) {
  static const Words words = words_of(kSuffixes);
  return contains(words, suffix);
}

bool is_placeholder(std::string_view name) {
  static const Words words = words_of(kPlaceholders);
  return contains(words, name) || name == "<streams without a descriptor>";
}

bool is_file_system(std::string_view type) {
  static const Words words = words_of(kFileSystems);
  return contains(words, type);
}

bool is_mount_flag(std::string_view option) {
  static const Words words = words_of(kMountFlags);
  return contains(words, option);
}

bool is_mount_number(std::string_view option) {
  static const Words words = words_of(kMountNumbers);
  return contains(words, option);
}

bool is_own_word(std::string_view word) {
  static const Words words = words_of(kOwnWords);
  return contains(words, word);
}

}  // namespace headrace::anonymize
