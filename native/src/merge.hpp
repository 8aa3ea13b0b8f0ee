// From segments, or from some documents of each, to one new segment file.
#pragma once

#include <optional>

#include "segment.hpp"
#include "segment_writer.hpp"

namespace averment {

struct MergeSource {
  const Segment& segment;
  // The documents to keep: bit d % 8 of byte d / 8. None: all.
  std::optional<std::string_view> members;
};

// Writes what a SegmentBuilder makes of the kept documents in this order, byte for byte; whether
// accents are folded is as in the sources. Reads all of the sources first: FormatError if one is
// damaged. QueryError if they do not fit together.
Facts merge(const std::vector<MergeSource>& sources, const std::string& path,
            const BuildOptions& options);

}  // namespace averment
