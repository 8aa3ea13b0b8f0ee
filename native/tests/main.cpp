#include "check.hpp"

int main() {
  for (const Test& test : all_tests()) {
    std::printf("%s\n", test.name);
    test.run();
  }
  std::printf("%zu tests passed\n", all_tests().size());
}
