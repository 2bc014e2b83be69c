/* Input: n in decimal. Output: the n-th Fibonacci number modulo 2^64, in decimal as a signed
 * number. Exit code 1: the input is no number. */
#include "guest.h"

static int guest(void) {
  u8 text[20];
  u64 count = read_input(text, sizeof text), n = 0, at = 0;
  for (; at < count && text[at] >= '0' && text[at] <= '9'; at++) n = 10 * n + (text[at] - '0');
  if (at == 0 || (at < count && text[at] != '\n')) return 1;
  u64 a = 0, b = 1;
  for (u64 i = 0; i < n; i++) {
    u64 next = a + b;
    a = b;
    b = next;
  }
  write_line(a);
  return 0;
}
