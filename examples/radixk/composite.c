#include "composite.h"

#include <headrace/phases.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"

// A rank's place in a round.
typedef struct {
  int k, stride;  // members are `stride` ranks apart
  int member;     // 0: has what is nearest
  int first;      // rank of member 0
} Place;

static Place place_in(const Radices* radices, int round, int rank) {
  Place place = {.k = radices->k[round], .stride = 1};
  for (int i = 0; i < round; ++i) place.stride *= radices->k[i];
  place.member = rank / place.stride % place.k;
  place.first = rank - place.member * place.stride;
  return place;
}

// One of k pieces; the first ones have a pixel more where they do not come out even.
static Range piece_of(Range whole, int k, int member) {
  const size_t parts = (size_t)k, part = (size_t)member, each = whole.count / parts, left = whole.count % parts;
  return (Range){whole.first + part * each + (part < left ? part : left), each + (part < left)};
}

Range composite_piece(size_t pixels, const Radices* radices, int rank) {
  Range own = {0, pixels};
  for (int round = 0; round < radices->rounds; ++round) {
    const Place place = place_in(radices, round, rank);
    own = piece_of(own, place.k, place.member);
  }
  return own;
}

size_t composite_room(size_t pixels, const Radices* radices) {
  size_t most = 0;
  for (int round = 0; round < radices->rounds; ++round) {
    const size_t k = (size_t)radices->k[round], piece = (pixels + k - 1) / k;
    if ((k - 1) * piece > most) most = (k - 1) * piece;
    pixels = piece;
  }
  return most + 1;  // of one rank nothing is received, and no memory would look like a lack of it
}

// Sends each member its piece of what the group has; what they send comes one after the other, in the order of depth.
static void exchange(const Pixel* image, Range shared, const Place* place, int round, MPI_Datatype pixel,
                     Pixel* received) {
  const Range own = piece_of(shared, place->k, place->member);
  MPI_Request* requests = malloc(2 * (size_t)place->k * sizeof *requests);
  // Nobody looks at these; GCC takes MPICH's MPI_STATUSES_IGNORE for an array of no size.
  MPI_Status* statuses = malloc(2 * (size_t)place->k * sizeof *statuses);
  if (!requests || !statuses) fail("no memory for requests");
  int count = 0;
  for (int i = 0; i < place->k; ++i) {
    if (i == place->member) continue;
    MPI_Irecv(received, (int)own.count, pixel, place->first + i * place->stride, round, MPI_COMM_WORLD,
              &requests[count++]);
    received += own.count;
  }
  for (int i = 0; i < place->k; ++i) {
    if (i == place->member) continue;
    const Range theirs = piece_of(shared, place->k, i);
    MPI_Isend(image + theirs.first, (int)theirs.count, pixel, place->first + i * place->stride, round, MPI_COMM_WORLD,
              &requests[count++]);
  }
  MPI_Waitall(count, requests, statuses);
  free(statuses);
  free(requests);
}

// Lays what was received over and under the own piece, from there to the nearest, then to the farthest.
static void blend(Pixel* own, size_t pixels, const Place* place, const Pixel* received) {
  for (int i = place->member - 1; i >= 0; --i) image_over(received + (size_t)i * pixels, own, pixels);
  for (int i = place->member; i < place->k - 1; ++i) image_under(own, received + (size_t)i * pixels, pixels);
}

void composite(Pixel* image, size_t pixels, const Radices* radices, Pixel* received) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype pixel;
  MPI_Type_contiguous(sizeof(Pixel) / sizeof(double), MPI_DOUBLE, &pixel);
  MPI_Type_commit(&pixel);
  Range shared = {0, pixels};
  for (int round = 0; round < radices->rounds; ++round) {
    char name[32];
    snprintf(name, sizeof name, "round %d", round + 1);
    headrace_phase_begin(name);
    const Place place = place_in(radices, round, rank);
    const Range own = piece_of(shared, place.k, place.member);
    exchange(image, shared, &place, round, pixel, received);
    blend(image + own.first, own.count, &place, received);
    shared = own;
    headrace_phase_end(name);
  }
  MPI_Type_free(&pixel);
}
