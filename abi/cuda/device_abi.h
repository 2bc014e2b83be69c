/* What host and device say to each other. Plain C: the Rust side is made from
 * this file, and includes nothing but fixed-width integers, which NVRTC has to be
 * given since it opens no system header. */
#ifndef TRACELOOM_DEVICE_ABI_H
#define TRACELOOM_DEVICE_ABI_H

#if defined(__CUDACC_RTC__)
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

/* Changes whenever a struct below does. */
#define TL_ABI_VERSION 1u

/* Where the columns of one member lie in the rows of its circuit:
 * inputs | selectors of all members | auxiliaries. */
typedef struct TlBases {
  uint32_t first_selector;        /* column of selector 0 of the first member */
  uint32_t first_member_selector; /* column of selector 0 of this member */
  uint32_t first_auxiliary;       /* column of auxiliary 0 */
  uint32_t width;                 /* number of columns */
} TlBases;

/* The rows first, first + 1, … first + count - 1 of a circuit, counted modulo its
 * padded height, stored column by column: row (first + i) mod height of column c
 * is cells[c * stride + i]. */
typedef struct TlWindow {
  uint64_t *cells; /* canonical words; width * stride of them */
  uint64_t stride; /* words from column to column, at least count */
  uint64_t first;  /* below height */
  uint64_t count;  /* at most height */
  uint64_t height; /* padded height of the circuit, a power of two */
} TlWindow;

/* Consecutive rows of one member and one encoding, or rows of padding. Those that
 * lie outside of the window are skipped. */
typedef struct TlRows {
  const uint32_t *seeds; /* seed of the first row; unused by padding */
  uint64_t first_row;    /* its row in the circuit */
  uint64_t num_rows;
  TlBases bases;
  TlWindow window;
} TlRows;

#endif
