#include "image.h"

#include "quiet.h"

QUIET static inline Pixel over(Pixel front, Pixel behind) {
  return (Pixel){front.red + front.through * behind.red, front.green + front.through * behind.green,
                 front.blue + front.through * behind.blue, front.through * behind.through};
}

void image_clear(Pixel* image, size_t pixels) {
  for (size_t i = 0; i < pixels; ++i) image[i] = (Pixel){0, 0, 0, 1};
}

QUIET void image_under(Pixel* front, const Pixel* behind, size_t pixels) {
  for (size_t i = 0; i < pixels; ++i) front[i] = over(front[i], behind[i]);
}

void image_over(const Pixel* front, Pixel* behind, size_t pixels) {
  for (size_t i = 0; i < pixels; ++i) behind[i] = over(front[i], behind[i]);
}

QUIET static uint8_t byte_of(double part) { return (uint8_t)(part * 255 + 0.5); }

void image_bytes(const Pixel* image, size_t pixels, uint8_t* bytes) {
  static const double kBackground[3] = {1. / 32, 1. / 32, 3. / 32};
  for (size_t i = 0; i < pixels; ++i, bytes += 3) {
    bytes[0] = byte_of(image[i].red + image[i].through * kBackground[0]);
    bytes[1] = byte_of(image[i].green + image[i].through * kBackground[1]);
    bytes[2] = byte_of(image[i].blue + image[i].through * kBackground[2]);
  }
}
