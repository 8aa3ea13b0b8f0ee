// A segment in a temporary file, for tests.
#pragma once

#include <cstdio>
#include <fstream>
#include <iterator>

#include "builder.hpp"

class Built {
 public:
  explicit Built(const std::vector<std::string>& texts, averment::BuildOptions options = {}) {
    averment::SegmentBuilder builder(options);
    builder.add_many({texts.begin(), texts.end()});
    std::remove(path_.c_str());
    builder.finish(path_);
  }
  ~Built() { std::remove(path_.c_str()); }
  Built(const Built&) = delete;
  Built& operator=(const Built&) = delete;
  const std::string& path() const { return path_; }

  std::string bytes() const { return bytes_of(path_); }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_ = std::string(std::tmpnam(nullptr)) + ".averment-test";
};

inline averment::BuildOptions everything() {
  averment::BuildOptions options;
  options.frequent_min_count = 1;
  options.frequent_min_share = 0;
  options.bitmap_min_share = 0.01;
  return options;
}
