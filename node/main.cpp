#include <cstdio>

int main() {
  std::fputs(
      "beckond: this build has no node yet. It cannot join an overlay, publish or find.\n"
      "What works today needs no daemon: beckon filter --help\n",
      stderr);
  return 1;
}
