#include "data/segmentation_sampler.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "base/temporary_directory.h"
#include "catch.h"
#include "data/corpus.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

using Pieces = std::vector<TokenId>;

Pieces copy_of(std::span<const TokenId> pieces) { return {pieces.begin(), pieces.end()}; }

/// A corpus of sentences whose words have several segmentations.
struct SampledText {
  SampledText() {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "the lowest newest widest lower newer wider " + std::to_string(i % 7) + "\n";
    tokenizers.emplace(tokenizer_of(text, 60));
    const Tokenizer* tokenizer = &tokenizers->target();
    CorpusWriter writer(directory / "corpus.bin", tokenizer->size());
    for (int64_t i = 0; i < 10; ++i) {
      const auto source = tokenizer->encode("the lowest newest widest " + std::to_string(i % 7));
      const auto target = tokenizer->encode("lower newer wider " + std::to_string(i % 7));
      writer.add({source, target, i + 1});
    }
    writer.finish();
    corpus.emplace(directory / "corpus.bin");
  }

  std::string text_of(std::span<const TokenId> pieces) const {
    return tokenizers->target().decode({pieces.begin(), pieces.end()});
  }

  TemporaryDirectory directory;
  std::optional<Tokenizers> tokenizers;
  std::optional<Corpus> corpus;
};

const std::vector<int64_t> kPairs = {3, 1, 4, 5, 9, 2, 6};

}  // namespace

TEST_CASE("sampled segmentations have the corpus's text and differ from step to step") {
  SampledText text;
  SegmentationSampler sampler(*text.corpus, *text.tokenizers, 0.5, 256, 1);
  std::set<Pieces> sources;
  for (int64_t step = 1; step <= 20; ++step) {
    sampler.begin_step(kPairs, step);
    for (const int64_t pair : kPairs) {
      CHECK(text.text_of(sampler[pair].source) == text.text_of((*text.corpus)[pair].source));
      CHECK(text.text_of(sampler[pair].target) == text.text_of((*text.corpus)[pair].target));
      CHECK(sampler[pair].line == pair + 1);
    }
    sources.insert(copy_of(sampler[3].source));
  }
  CHECK(sources.size() > 10);
  CHECK(copy_of(sampler[0].source) == copy_of((*text.corpus)[0].source));  // not one of the step
}

TEST_CASE("sampled segmentations depend on seed, step and pairs only") {
  SampledText text;
  const auto sources = [&](SegmentationSampler& sampler, int64_t step) {
    sampler.begin_step(kPairs, step);
    std::vector<Pieces> all;
    for (const int64_t pair : kPairs) all.push_back(copy_of(sampler[pair].source));
    return all;
  };
  SegmentationSampler one(*text.corpus, *text.tokenizers, 0.3, 256, 1),
      other(*text.corpus, *text.tokenizers, 0.3, 256, 1), third(*text.corpus, *text.tokenizers, 0.3, 256, 2);
  for (int64_t step = 1; step < 5; ++step) sources(one, step);
  const auto fifth = sources(one, 5);
  CHECK(sources(other, 5) == fifth);
  CHECK(sources(third, 5) != fifth);
  CHECK(sources(other, 6) != fifth);
}

TEST_CASE("a sentence with a character that the vocabulary lacks keeps its segmentation") {
  SampledText text;
  const Pieces pieces = text.tokenizers->source().encode("the lowest q newest");
  REQUIRE(std::count(pieces.begin(), pieces.end(), text.tokenizers->source().special_tokens().unknown) == 1);
  const std::string path = text.directory / "unknown.bin";
  CorpusWriter writer(path, text.tokenizers->sizes());
  writer.add({pieces, pieces, 1});
  writer.finish();
  Corpus corpus(path);
  SegmentationSampler sampler(corpus, *text.tokenizers, 0.5, 256, 1);
  for (int64_t step = 1; step <= 5; ++step) {
    sampler.begin_step({0}, step);
    CHECK(copy_of(sampler[0].source) == pieces);
    CHECK(copy_of(sampler[0].target) == pieces);
  }
}

TEST_CASE("a sampled segmentation is at most max_length pieces long") {
  SampledText text;
  const int64_t length = std::ssize((*text.corpus)[3].source);
  SegmentationSampler sampler(*text.corpus, *text.tokenizers, 0.9, length, 1);
  for (int64_t step = 1; step <= 20; ++step) {
    sampler.begin_step(kPairs, step);
    CHECK(std::ssize(sampler[3].source) <= length);
  }
}

}  // namespace transformer
