/* Input: signed words of 64 bits, little-endian, at most 8192. Output: the words in ascending
 * order. Exit code 1: the input is longer, or is no whole number of words. */
#include "guest.h"

enum { MOST = 8192 };

static long words[MOST + 1], merged[MOST];

/* Merge sort from the bottom up. */
static void sort(u64 count) {
  for (u64 width = 1; width < count; width *= 2) {
    for (u64 start = 0; start < count; start += 2 * width) {
      u64 middle = start + width < count ? start + width : count;
      u64 end = middle + width < count ? middle + width : count;
      u64 left = start, right = middle;
      for (u64 to = start; to < end; to++) {
        int takes_left = left < middle && (right == end || words[left] <= words[right]);
        merged[to] = takes_left ? words[left++] : words[right++];
      }
    }
    for (u64 i = 0; i < count; i++) words[i] = merged[i];
  }
}

static int guest(void) {
  u64 bytes = read_input((u8 *)words, sizeof words);
  if (bytes > sizeof merged || bytes % 8 != 0) return 1;
  sort(bytes / 8);
  write_output(words, bytes);
  return 0;
}
