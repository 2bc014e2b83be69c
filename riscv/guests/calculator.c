/* Input: one arithmetic expression per line, of decimal numbers, + - * / % ( ) and spaces.
 * Output: its value per line, as a signed number of 64 bits. Exit code: 0, else the number of
 * the first line that is no expression or divides by zero, at most 255; earlier values are
 * written. */
#include "guest.h"

enum { MOST = 65536, DEEPEST = 200 };

static u8 text[MOST];
static u64 length, at;
static int failed, depth;

static long sum(void);

static u8 next(void) {
  while (at < length && text[at] == ' ') at++;
  return at < length ? text[at] : '\n';
}

static long factor(void) {
  u8 c = next();
  if (++depth > DEEPEST) failed = 1;
  long value = 0;
  if (failed) {
  } else if (c == '-') {
    at++;
    value = -(u64)factor();
  } else if (c == '(') {
    at++;
    value = sum();
    if (next() == ')') at++; else failed = 1;
  } else if (c >= '0' && c <= '9') {
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
      value = 10ul * value + (text[at] - '0');
  } else {
    failed = 1;
  }
  depth--;
  return value;
}

static long product(void) {
  long value = factor();
  for (;;) {
    u8 c = next();
    if (failed || (c != '*' && c != '/' && c != '%')) return value;
    at++;
    long other = factor();
    if (c == '*') value = (u64)value * other;
    else if (other == 0) failed = 1;
    else if (other == -1) value = c == '/' ? -(u64)value : 0;
    else value = c == '/' ? value / other : value % other;
  }
}

static long sum(void) {
  long value = product();
  for (;;) {
    u8 c = next();
    if (failed || (c != '+' && c != '-')) return value;
    at++;
    long other = product();
    value = c == '+' ? (u64)value + other : (u64)value - other;
  }
}

static int guest(void) {
  length = read_input(text, MOST);
  for (int line = 1; at < length; line++) {
    long value = sum();
    if (failed || next() != '\n') return line < 255 ? line : 255;
    at++;
    write_line(value);
  }
  return 0;
}
