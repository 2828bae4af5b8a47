#pragma once

#include <cstdint>
#include <string>

namespace transformer {

/// Writes a corpus of random sentence pairs, for benchmarks that need no text. Source lengths are distributed about as
/// in WMT14 (gamma distribution with a mean of 27 pieces, 28 with the end symbol), target lengths are near the
/// source's, and pieces follow Zipf's law. The same arguments give the same corpus. Throws Error if the file cannot be
/// written.
void write_synthetic_corpus(const std::string& path, int64_t num_pairs, int64_t vocabulary_size, uint64_t seed);

}  // namespace transformer
