/* Entry, stack, input, output and exit of a guest, without a C library. The calls have the
 * numbers of Linux, so that a guest also runs under qemu-riscv64. */
#ifndef GUEST_H
#define GUEST_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;

/* What a guest defines. It returns the exit code: 0 is success. */
static int guest(void) __attribute__((used, noinline));

/* The stack pointer is set before entry. */
__asm__(
    "  .globl _start\n"
    "_start:\n"
    "  call guest\n"
    "  li a7, 93\n"
    "  ecall\n");

static inline long call(long number, long a, const void *b, u64 c) {
  register long a0 __asm__("a0") = a;
  register const void *a1 __asm__("a1") = b;
  register u64 a2 __asm__("a2") = c;
  register long a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}

/* Reads up to `most` bytes of the input; fewer only at its end. */
static u64 read_input(u8 *bytes, u64 most) {
  u64 done = 0;
  while (done < most) {
    long count = call(63, 0, bytes + done, most - done);
    if (count <= 0) break;
    done += count;
  }
  return done;
}

/* Writes bytes to the output. */
static void write_output(const void *bytes, u64 count) {
  const u8 *from = bytes;
  while (count > 0) {
    long done = call(64, 1, from, count);
    if (done <= 0) break;
    from += done;
    count -= done;
  }
}

/* Writes a number in decimal, and a line feed. */
static inline void write_line(long value) {
  u8 text[24];
  int at = sizeof text;
  u64 rest = value < 0 ? -(u64)value : (u64)value;
  text[--at] = '\n';
  do {
    text[--at] = '0' + rest % 10;
    rest /= 10;
  } while (rest > 0);
  if (value < 0) text[--at] = '-';
  write_output(text + at, sizeof text - at);
}

#endif
