// From segments, or from views of some documents of each, to one new segment file.
#pragma once

#include "segment.hpp"
#include "segment_writer.hpp"

namespace averment {

// Writes what a SegmentBuilder makes of all documents of the sources in this order, or of those
// that a view is about, byte for byte; whether accents are folded is as in the sources. Reads all
// of the sources first: FormatError if one is damaged. QueryError if they do not fit together.
Facts merge(const std::vector<Segment>& sources, const std::string& path,
            const BuildOptions& options);

}  // namespace averment
