// The smallest test runner that names what failed.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Test {
  const char* name;
  void (*run)();
};
inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}
struct Register {
  Register(const char* name, void (*run)()) { all_tests().push_back({name, run}); }
};

#define TEST(name)                                    \
  static void name();                                 \
  static const Register register_##name(#name, name); \
  static void name()

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

#define CHECK_THROWS(Error, expression) \
  do {                                  \
    bool thrown = false;                \
    try {                               \
      expression;                       \
    } catch (const Error&) {            \
      thrown = true;                    \
    }                                   \
    CHECK(thrown);                      \
  } while (false)
