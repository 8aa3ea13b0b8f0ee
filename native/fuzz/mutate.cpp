// A stand-in for libFuzzer where there is no clang: mutates the files of a folder for some time.
//
//     fuzz_segment FOLDER -max_total_time=SECONDS [-seed=N]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t n);

namespace {

using Input = std::vector<uint8_t>;

Input mutated(const std::vector<Input>& seeds, std::mt19937_64& draw) {
  Input input = seeds[draw() % seeds.size()];
  for (uint64_t n = draw() % 4 + 1; n && !input.empty(); --n) {
    const size_t at = draw() % input.size();
    switch (draw() % 6) {
      case 0:
        input[at] ^= static_cast<uint8_t>(1u << draw() % 8);
        break;
      case 1:
        input[at] = static_cast<uint8_t>(draw());
        break;
      case 2:
        input[at] = draw() % 2 ? 0xFF : 0;
        break;
      case 3:
        input.resize(at);
        break;
      case 4:
        input.insert(input.begin() + static_cast<ptrdiff_t>(at), static_cast<uint8_t>(draw()));
        break;
      default: {  // copy a piece over another
        const size_t from = draw() % input.size();
        const size_t length = std::min<size_t>(draw() % 64, input.size() - std::max(at, from));
        std::memmove(input.data() + at, input.data() + from, length);
      }
    }
  }
  return input;
}

}  // namespace

int main(int n_arguments, char** arguments) {
  double seconds = 10;
  uint64_t seed = 1;
  std::vector<Input> seeds;
  for (int i = 1; i < n_arguments; ++i) {
    const std::string argument = arguments[i];
    if (argument.rfind("-max_total_time=", 0) == 0) seconds = std::atof(argument.c_str() + 16);
    else if (argument.rfind("-seed=", 0) == 0)
      seed = std::strtoull(argument.c_str() + 6, nullptr, 10);
    else if (argument[0] != '-') {
      for (const auto& entry : std::filesystem::directory_iterator(argument)) {
        std::ifstream file(entry.path(), std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
      }
    }
  }
  if (seeds.empty()) seeds.emplace_back(64, 'a');
  std::mt19937_64 draw(seed);
  const auto start = std::chrono::steady_clock::now();
  uint64_t n = 0;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
         seconds) {
    const Input input = mutated(seeds, draw);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++n;
  }
  std::printf("%llu executions\n", static_cast<unsigned long long>(n));
}
