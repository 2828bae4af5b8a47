#include "data/synthetic_corpus.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "data/corpus.h"

namespace transformer {
namespace {

/// The first id after those of the special symbols.
TokenId first_piece(const SpecialTokens& special) {
  return std::max({special.pad, special.unknown, special.begin, special.end}) + 1;
}

class SyntheticPieces {
 public:
  explicit SyntheticPieces(const SyntheticCorpus& corpus)
      : first_piece_(first_piece(corpus.special_tokens)),
        num_words_(static_cast<double>(corpus.vocabulary_size - first_piece_)),
        max_length_(static_cast<double>(std::min<int64_t>(corpus.max_length, 98))),
        random_(corpus.seed) {}

  /// The number of pieces of a source sentence.
  int64_t length() {
    static constexpr double kMean = 27, kShape = 2.4;
    std::gamma_distribution<double> gamma(kShape, kMean / kShape);
    return in_range(gamma(random_));
  }

  int64_t length_of_translation(int64_t source) {
    static constexpr double kSpread = 0.2;
    std::normal_distribution<double> factor(1, kSpread);
    return in_range(static_cast<double>(source) * factor(random_));
  }

  std::vector<TokenId> pieces(int64_t length) {
    std::vector<TokenId> pieces(static_cast<size_t>(length));
    std::generate(pieces.begin(), pieces.end(), [&] { return piece(); });
    return pieces;
  }

 private:
  int64_t in_range(double length) const {
    return static_cast<int64_t>(std::lround(std::clamp(length, 1.0, max_length_)));
  }

  /// The frequency of the piece of rank r is about proportional to 1 / (r + kOffset).
  TokenId piece() {
    static constexpr double kOffset = 2.7;
    std::uniform_real_distribution<double> uniform(0, std::log((num_words_ + kOffset) / kOffset));
    const double rank = kOffset * (std::exp(uniform(random_)) - 1);
    return static_cast<TokenId>(first_piece_ + std::min(rank, num_words_ - 1));
  }

  TokenId first_piece_;
  double num_words_, max_length_;
  std::mt19937_64 random_;
};

}  // namespace

void write_synthetic_corpus(const std::string& path, const SyntheticCorpus& corpus) {
  SyntheticPieces synthetic(corpus);
  CorpusWriter writer(path, corpus.vocabulary_size);
  for (int64_t line = 1; line <= corpus.pairs; ++line) {
    const int64_t length = synthetic.length();
    const auto source = synthetic.pieces(length);
    const auto target = synthetic.pieces(synthetic.length_of_translation(length));
    writer.add({source, target, line});
  }
  writer.finish();
}

}  // namespace transformer
