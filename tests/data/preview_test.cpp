#include "data/preview.h"

#include <filesystem>
#include <numeric>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

/// Writes `lines` pairs of two words each, all different, and returns a config for them.
DataConfig config_of(const TemporaryDirectory& directory, int64_t lines) {
  std::string source, target;
  for (int64_t i = 0; i < lines; ++i) {
    source += "number " + std::to_string(i) + "\n";
    target += "Nummer " + std::to_string(i) + "\n";
  }
  write_file_atomically(directory / "source", source);
  write_file_atomically(directory / "target", target);
  DataConfig config;
  config.train = {{directory / "source", directory / "target"}};
  config.prepared = directory / "prepared";
  config.vocabulary_size = 60;
  return config;
}

int64_t sources_of(const CorpusPreview& preview) {
  return std::accumulate(preview.lengths.begin(), preview.lengths.end(), int64_t{0},
                         [](int64_t sum, const auto& range) { return sum + range.sources; });
}

}  // namespace

TEST_CASE("a preview of a small text is exact and writes nothing") {
  const TemporaryDirectory directory;
  DataConfig config = config_of(directory, 500);
  const CorpusPreview preview = preview_corpus(config, 1, std::nullopt, "");
  CHECK(preview.is_whole);
  CHECK(preview.pairs_read == 500);
  CHECK(preview.pairs_kept == 500);
  CHECK(preview.estimated_lines == 500);
  CHECK(preview.estimated_pairs == 500);
  CHECK(preview.target_vocabulary_size == 60);
  CHECK(preview.first_pieces.size() == 20);
  CHECK(preview.last_pieces.size() == 20);
  CHECK(preview.examples.size() == 5);
  CHECK(sources_of(preview) == 500);
  CHECK_FALSE(std::filesystem::exists(config.prepared));
  CHECK(preview.steps_per_epoch(100) == Approx(500 * preview.tokens_per_pair / 100));
  config.train.front().weight = 2.5;
  CHECK(preview_corpus(config, 1, std::nullopt, "").estimated_pairs == Approx(1250));
}

TEST_CASE("a preview of a large text reads its beginning and estimates the rest") {
  const TemporaryDirectory directory;
  static constexpr int64_t kLines = 3 * CorpusPreview::kPairs;
  const CorpusPreview preview = preview_corpus(config_of(directory, kLines), 2, std::nullopt, "");
  CHECK_FALSE(preview.is_whole);
  CHECK(preview.pairs_read == CorpusPreview::kPairs);
  CHECK(preview.estimated_lines == Approx(kLines).epsilon(0.1));
  CHECK_THAT(format_text(preview, 1000, 100), Catch::Contains("read 100,000 of about "));
}

}  // namespace transformer
