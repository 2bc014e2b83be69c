// Sums of products of words, reduced once.
//
// A product of two words has four partial products of 32 by 32 bits. Those at bits 0 and 64
// go to one accumulator, those at bit 32 to another, so every partial product is one
// multiply-add whose carries wait in a limb of their own: about six instructions per product,
// where a product that is put together first and added then takes fifteen.
#pragma once

#include "block.cuh"

namespace traceloom {

// even + 2^32 odd, limbs of 32 bits, the lowest first: a sum of fewer than 2^30 products of
// any words, and as many words.
struct Dot {
  uint32_t even[5];
  uint32_t odd[3];
};

TL_DEVICE Dot dot_of(Gl start) {
  return Dot{{uint32_t(start.value), uint32_t(start.value >> 32), 0, 0, 0}, {0, 0, 0}};
}

#if !TL_ON_DEVICE
// Adds a number to the limbs from the first on.
inline void add_limbs(uint32_t *limbs, uint32_t count, uint64_t number) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t sum = uint64_t(limbs[i]) + uint32_t(number);
    limbs[i] = uint32_t(sum);
    number = (number >> 32) + (sum >> 32);
  }
}
#endif

// a and b may be any words.
TL_DEVICE Dot dot_of_product(Gl a, Gl b) {
  const uint32_t a0 = uint32_t(a.value), a1 = uint32_t(a.value >> 32);
  const uint32_t b0 = uint32_t(b.value), b1 = uint32_t(b.value >> 32);
  const uint64_t low = uint64_t(a0) * b0, high = uint64_t(a1) * b1;
  Dot sum{{uint32_t(low), uint32_t(low >> 32), uint32_t(high), uint32_t(high >> 32), 0}, {}};
#if TL_ON_DEVICE
  const uint64_t middle = uint64_t(a0) * b1;
  sum.odd[0] = uint32_t(middle);
  sum.odd[1] = uint32_t(middle >> 32);
  asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\tmadc.hi.cc.u32 %1, %3, %4, %1;\n\t"
      "addc.u32 %2, 0, 0;"
      : "+r"(sum.odd[0]), "+r"(sum.odd[1]), "=r"(sum.odd[2])
      : "r"(a1), "r"(b0));
#else
  add_limbs(sum.odd, 3, uint64_t(a0) * b1);
  add_limbs(sum.odd, 3, uint64_t(a1) * b0);
#endif
  return sum;
}

// a and b may be any words.
TL_DEVICE void add_product(Dot &sum, Gl a, Gl b) {
  const uint32_t a0 = uint32_t(a.value), a1 = uint32_t(a.value >> 32);
  const uint32_t b0 = uint32_t(b.value), b1 = uint32_t(b.value >> 32);
#if TL_ON_DEVICE
  // A pair of mad.lo and mad.hi becomes one instruction.
  asm("mad.lo.cc.u32 %0, %5, %7, %0;\n\tmadc.hi.cc.u32 %1, %5, %7, %1;\n\t"
      "madc.lo.cc.u32 %2, %6, %8, %2;\n\tmadc.hi.cc.u32 %3, %6, %8, %3;\n\t"
      "addc.u32 %4, %4, 0;"
      : "+r"(sum.even[0]), "+r"(sum.even[1]), "+r"(sum.even[2]), "+r"(sum.even[3]),
        "+r"(sum.even[4])
      : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
  asm("mad.lo.cc.u32 %0, %3, %6, %0;\n\tmadc.hi.cc.u32 %1, %3, %6, %1;\n\t"
      "addc.u32 %2, %2, 0;\n\t"
      "mad.lo.cc.u32 %0, %4, %5, %0;\n\tmadc.hi.cc.u32 %1, %4, %5, %1;\n\t"
      "addc.u32 %2, %2, 0;"
      : "+r"(sum.odd[0]), "+r"(sum.odd[1]), "+r"(sum.odd[2])
      : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
#else
  add_limbs(sum.even, 5, uint64_t(a0) * b0);
  add_limbs(sum.even + 2, 3, uint64_t(a1) * b1);
  add_limbs(sum.odd, 3, uint64_t(a0) * b1);
  add_limbs(sum.odd, 3, uint64_t(a1) * b0);
#endif
}

// Adds a word.
TL_DEVICE void add_to(Dot &sum, Gl value) {
#if TL_ON_DEVICE
  asm("add.cc.u32 %0, %0, %5;\n\taddc.cc.u32 %1, %1, %6;\n\taddc.cc.u32 %2, %2, 0;\n\t"
      "addc.cc.u32 %3, %3, 0;\n\taddc.u32 %4, %4, 0;"
      : "+r"(sum.even[0]), "+r"(sum.even[1]), "+r"(sum.even[2]), "+r"(sum.even[3]),
        "+r"(sum.even[4])
      : "r"(uint32_t(value.value)), "r"(uint32_t(value.value >> 32)));
#else
  add_limbs(sum.even, 5, value.value);
#endif
}

// With 2^64 = 2^32 - 1 and 2^96 = -1 the limbs w are w0 + 2^32 w1 + (2^32 - 1) w2 - w3 -
// 2^32 w4. w4 is below 2^31, so neither correction, of a borrow or of a carry, overflows.
TL_DEVICE Gl reduced(const Dot &sum) {
#if TL_ON_DEVICE
  uint32_t w0, w1;
  asm("{\n\t.reg .u32 x1, x2, x3, x4, m;\n\t"
      "add.cc.u32 x1, %3, %7;\n\taddc.cc.u32 x2, %4, %8;\n\taddc.cc.u32 x3, %5, %9;\n\t"
      "addc.u32 x4, %6, 0;\n\t"
      "sub.cc.u32 %0, %2, x3;\n\tsubc.cc.u32 %1, x1, x4;\n\tsubc.u32 m, 0, 0;\n\t"
      "sub.cc.u32 %0, %0, m;\n\tsubc.u32 %1, %1, 0;\n\t"
      "mad.lo.cc.u32 %0, x2, 0xffffffff, %0;\n\tmadc.hi.cc.u32 %1, x2, 0xffffffff, %1;\n\t"
      "addc.u32 m, 0, 0;\n\tneg.s32 m, m;\n\t"
      "add.cc.u32 %0, %0, m;\n\taddc.u32 %1, %1, 0;\n\t}"
      : "=&r"(w0), "=&r"(w1)
      : "r"(sum.even[0]), "r"(sum.even[1]), "r"(sum.even[2]), "r"(sum.even[3]),
        "r"(sum.even[4]), "r"(sum.odd[0]), "r"(sum.odd[1]), "r"(sum.odd[2]));
  return gl_reduced((uint64_t(w1) << 32) | w0);
#else
  uint32_t w[5];
  for (uint32_t i = 0; i < 5; ++i) {
    w[i] = sum.even[i];
  }
  add_limbs(w + 1, 4, (uint64_t(sum.odd[1]) << 32) | sum.odd[0]);
  add_limbs(w + 3, 2, sum.odd[2]);
  const uint64_t low = (uint64_t(w[1]) << 32) | w[0], minus = (uint64_t(w[4]) << 32) | w[3];
  const uint64_t word = low - minus - (low < minus ? EPSILON : 0);
  const uint64_t middle = w[2] * EPSILON, total = word + middle;
  return gl_reduced(total + (total < middle ? EPSILON : 0));
#endif
}

}  // namespace traceloom
