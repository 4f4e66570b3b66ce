// Images of what a rank sees, and how one is laid over another.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Colours times opacity, and how much light comes through from behind. A pixel where nothing is: 0, 0, 0, 1.
//
// "Over" is associative, but its rounding is not: images put together in other groups and rounds would differ in last
// bits. Here nothing is ever rounded. A particle's opacity is in eighths, its colour in 256ths, and at most 14 cover a
// pixel (scene.h): every number that can come up has at most 8 + 3 * 14 = 50 binary places, and a double has 53.
typedef struct {
  double red, green, blue, through;
} Pixel;

void image_clear(Pixel* image, size_t pixels);

// Lays `front` over `behind`; the one that is not const gets the result.
void image_under(Pixel* front, const Pixel* behind, size_t pixels);
void image_over(const Pixel* front, Pixel* behind, size_t pixels);

// As bytes red, green, blue, over the background.
void image_bytes(const Pixel* image, size_t pixels, uint8_t* bytes);
