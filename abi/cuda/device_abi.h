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
#define TL_ABI_VERSION 2u

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

/* Rows of an evaluation domain of a circuit, stored column by column: row r of main
 * column c is main_values[c * stride + r], and fixed columns likewise. */
typedef struct TlDomain {
  const uint64_t *main_values;
  const uint64_t *fixed_values;
  const uint64_t *public_values;
  const uint64_t *is_first_row;  /* first-row selector, one word per row */
  const uint64_t *is_transition; /* transition selector, one word per row */
  uint64_t stride;               /* words from column to column, at least height */
  uint64_t height;               /* a power of two */
  uint64_t step;                 /* rows per row of the trace, a power of two */
  uint64_t bit_reversed;         /* 1: point i is the row whose number has the reversed bits of i */
} TlDomain;

/* The rows first, first + 1, ... first + count - 1 of a domain, evaluated and folded
 * with challenges from an extension of the field. Elements of the extension are
 * `degree` words, coefficient by coefficient. Outputs are indexed from `first`:
 *
 * constraints  folded[k * count + i] = coefficient k of
 *                sum of power j * constraint j of row first + i
 * lookups      multiplicities[l * count + i] = multiplicity of lookup l, without sign
 *              folded[(l * degree + k) * count + i] = coefficient k of
 *                shift + sum of power j * argument j of lookup l */
typedef struct TlEvaluation {
  TlDomain domain;
  uint64_t first;
  uint64_t count;
  const uint64_t *powers;   /* of alpha for constraints, of gamma for lookups */
  const uint64_t *shift;    /* beta, one element; unused by constraints */
  uint64_t degree;          /* of the extension, 1 to 3 */
  uint64_t *folded;
  uint64_t *multiplicities; /* unused by constraints */
} TlEvaluation;

#endif
