// Radix-k image compositing: every rank draws what is in its slab of a scene, and rounds of exchanges in groups of k
// make one image of all of them. See README.md.
#include <headrace/phases.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "options.h"

typedef struct {
  Pixel *image, *received;
  uint8_t* bytes;  // of a whole image
} Memory;

static Memory memory_get(const Options* options, size_t pixels) {
  Memory memory = {malloc(pixels * sizeof(Pixel)), malloc(composite_room(pixels, &options->radices) * sizeof(Pixel)),
                   malloc(pixels * 3)};
  if (!memory.image || !memory.received || !memory.bytes) fail("no memory for images of %zu pixels", pixels);
  return memory;
}

static void memory_free(Memory* memory) {
  free(memory->image);
  free(memory->received);
  free(memory->bytes);
}

static void verify(const Options* options, int frame, Memory* memory, size_t pixels) {
  headrace_phase_begin("verify");
  scene_render(&options->scene, frame, 0, 1, memory->image);
  image_bytes(memory->image, pixels, memory->bytes);
  output_verify(&options->output, &options->scene, frame, memory->bytes);
  headrace_phase_end("verify");
}

// Returns the bytes of the file.
static size_t make_frame(const Options* options, int frame, int rank, int ranks, Memory* memory) {
  const size_t pixels = (size_t)options->scene.width * (size_t)options->scene.height;
  const Range piece = composite_piece(pixels, &options->radices, rank);
  headrace_phase_begin("render");
  scene_render(&options->scene, frame, rank, ranks, memory->image);
  headrace_phase_end("render");
  headrace_phase_begin("composite");
  composite(memory->image, pixels, &options->radices, memory->received);
  headrace_phase_end("composite");
  headrace_phase_begin("write");
  image_bytes(memory->image + piece.first, piece.count, memory->bytes);
  const size_t size = output_write(&options->output, &options->scene, &options->radices, frame, memory->bytes);
  headrace_phase_end("write");
  if (options->verify && rank == 0) verify(options, frame, memory, pixels);
  return size;
}

static void print_begin(const Options* options, int ranks) {
  printf("radixk: %d ranks, %d frames of %dx%d, rounds of", ranks, options->frames, options->scene.width,
         options->scene.height);
  for (int i = 0; i < options->radices.rounds; ++i) printf("%s %d", i ? "," : "", options->radices.k[i]);
  printf("%s\n", options->radices.rounds ? "" : " nobody");
  fflush(stdout);
}

static void run_frames(const Options* options, int rank, int ranks) {
  Memory memory = memory_get(options, (size_t)options->scene.width * (size_t)options->scene.height);
  size_t bytes = 0;
  output_prepare(&options->output);
  if (rank == 0) print_begin(options, ranks);
  const double begin = MPI_Wtime();
  for (int frame = 0; frame < options->frames; ++frame) {
    headrace_phase_begin("frame");
    bytes += make_frame(options, frame, rank, ranks, &memory);
    headrace_phase_end("frame");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("images: %d, %zu bytes%s\ntime: %.3f s\n", options->frames, bytes,
           options->verify ? ", the same as the serial ones" : "", MPI_Wtime() - begin);
  memory_free(&memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options;
  const Asked asked = options_read(argc, argv, rank, ranks, &options);
  if (asked == kRun) run_frames(&options, rank, ranks);
  MPI_Finalize();
  return asked == kBad ? 2 : 0;
}
