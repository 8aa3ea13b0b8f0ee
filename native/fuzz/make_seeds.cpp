// Writes the files that fuzzing starts from: make_seeds FOLDER
#include <filesystem>
#include <fstream>

#include "builder.hpp"

using namespace averment;

int main(int n_arguments, char** arguments) {
  if (n_arguments != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  for (const char* target : {"segment", "tokenizer", "query"}) {
    std::filesystem::create_directories(folder / target);
  }
  for (const uint32_t n_documents : {0, 3, 40, 200}) {
    for (const bool rich : {false, true}) {
      BuildOptions options;
      options.frequent_min_count = rich ? 5 : 0;
      options.frequent_min_share = 0;
      options.bitmap_min_share = rich ? 0.1 : 0;
      SegmentBuilder builder(options);
      uint32_t draw = 1;
      for (uint32_t document = 0; document < n_documents; ++document) {
        std::string text;
        for (uint32_t word = 0; word < document % 37; ++word) {
          draw = draw * 1664525 + 1013904223;
          text +=
              std::string(1, static_cast<char>('a' + (draw >> 24) % (1 + (draw >> 16) % 8))) + " ";
          if (draw >> 28 == 0) text += "w\u00f6rt ";
        }
        builder.add(text);
      }
      const auto path =
          folder / "segment" / (std::to_string(n_documents) + (rich ? "-rich" : "-plain"));
      std::filesystem::remove(path);
      builder.finish(path);
    }
  }
  std::ofstream(folder / "tokenizer" / "text") << "It's 5 o'Clock; STRASSE, naïve ÉTÉ İ ﬃ ΣΊΣΥΦΟΣ "
                                                  "漢字カナ ไทย 한글 क्षि e\u0301\u0328 \xFF\xC3";
  std::ofstream(folder / "query" / "corpus") << "\x02\x05\x03\x01\x02"
                                                "ab\x01"
                                                "b\x30"
                                                "abcabcabcaabbccabcabcabcaabbccabcabcabcaabbccabc";
}
