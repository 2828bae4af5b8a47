#include "data/letter_case_sampler.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "data/segmentation_sampler.h"
#include "word_tokenizer.h"

namespace transformer {
namespace {

using Pieces = std::vector<TokenId>;

Pieces copy_of(std::span<const TokenId> pieces) { return {pieces.begin(), pieces.end()}; }

/// 1,000 pairs "<t> low new N" and "wide N low", where only the words have capitals in the vocabulary.
struct CasedText {
  CasedText() {
    std::string lines;
    for (int i = 0; i < 50; ++i) lines += "low new wide LOW NEW WIDE Low New Wide 0 1 2 3 4 5 6 7 8 9 q\n";
    write_file_atomically(directory / "text", lines);
    tokenizers.emplace(Tokenizer(
        Tokenizer::learn({directory / "text"}, {.size = 60, .character_coverage = 1.0, .whole_words = {"<t>", "new"}}),
        "v"));
    const Tokenizer& tokenizer = tokenizers->target();
    CorpusWriter writer(directory / "corpus.bin", tokenizer.size());
    for (int64_t i = 0; i < kPairs; ++i) {
      const auto source = tokenizer.encode("<t> low new " + std::to_string(i));
      const auto target = tokenizer.encode("wide " + std::to_string(i) + " low");
      writer.add({source, target, i + 1});
      all.push_back(i);
    }
    writer.finish();
    corpus.emplace(directory / "corpus.bin");
    config.train = {{{"a", "b"}, {}, "<t>"}};
  }

  std::string text_of(std::span<const TokenId> pieces) const {
    return tokenizers->target().decode({pieces.begin(), pieces.end()});
  }

  static constexpr int64_t kPairs = 1000;
  TemporaryDirectory directory;
  std::optional<Tokenizers> tokenizers;
  std::optional<Corpus> corpus;
  std::vector<int64_t> all;
  DataConfig config;
};

std::map<int64_t, std::pair<Pieces, Pieces>> drawn(SentencePairs& pairs, const std::vector<int64_t>& indices,
                                                   int64_t step) {
  pairs.begin_step(indices, step);
  std::map<int64_t, std::pair<Pieces, Pieces>> all;
  for (const int64_t index : indices) all[index] = {copy_of(pairs[index].source), copy_of(pairs[index].target)};
  return all;
}

}  // namespace

TEST_CASE("a share of a step's pairs is in capitals, another has a source in title case") {
  CasedText text;
  text.config.all_caps = 0.3;
  text.config.title_case = 0.2;
  LetterCaseSampler sampler(*text.corpus, *text.tokenizers, text.config, 1);
  sampler.begin_step(text.all, 1);
  int64_t num_capitals = 0, num_titles = 0;
  for (const int64_t pair : text.all) {
    const std::string number = std::to_string(pair);
    const std::string source = text.text_of(sampler[pair].source), target = text.text_of(sampler[pair].target);
    CHECK(sampler[pair].line == pair + 1);
    if (source == "<t> LOW NEW " + number) {
      ++num_capitals;
      CHECK(target == "WIDE " + number + " LOW");
    } else {
      num_titles += source == "<t> Low New " + number ? 1 : 0;
      CHECK((source == "<t> Low New " + number || source == "<t> low new " + number));
      CHECK(target == "wide " + number + " low");
    }
  }
  CHECK((num_capitals > 250 && num_capitals < 350));
  CHECK((num_titles > 150 && num_titles < 250));
}

TEST_CASE("the case of a pair depends on the seed, the step and the pair only") {
  CasedText text;
  text.config.all_caps = 0.5;
  LetterCaseSampler one(*text.corpus, *text.tokenizers, text.config, 1),
      other(*text.corpus, *text.tokenizers, text.config, 1), third(*text.corpus, *text.tokenizers, text.config, 2);
  for (int64_t step = 1; step < 5; ++step) drawn(one, text.all, step);
  const auto fifth = drawn(one, text.all, 5);
  CHECK(drawn(other, text.all, 5) == fifth);
  CHECK(drawn(third, text.all, 5) != fifth);
  CHECK(drawn(other, text.all, 6) != fifth);
  const std::vector<int64_t> some = {7, 3, 3, 999};
  for (const auto& [pair, pieces] : drawn(third, some, 5)) CHECK(pieces == drawn(third, text.all, 5).at(pair));
}

TEST_CASE("a pair keeps its case where it would have more than max_length pieces") {
  CasedText text;
  text.config.all_caps = 0.5;
  text.config.title_case = 0.499999;
  text.config.max_length = 1;
  LetterCaseSampler sampler(*text.corpus, *text.tokenizers, text.config, 1);
  for (const auto& [pair, pieces] : drawn(sampler, text.all, 1)) {
    CHECK(pieces.first == copy_of((*text.corpus)[pair].source));
    CHECK(pieces.second == copy_of((*text.corpus)[pair].target));
  }
}

TEST_CASE("a pair keeps its case where the vocabulary lacks a character of it or of its capitals") {
  CasedText text;
  const Tokenizer& tokenizer = text.tokenizers->target();
  const Pieces known = tokenizer.encode("low"), no_capital = tokenizer.encode("low q"),
               unknown = tokenizer.encode("low z");
  CorpusWriter writer(text.directory / "few.bin", tokenizer.size());
  writer.add({known, no_capital, 1});
  writer.add({no_capital, known, 2});
  writer.add({known, unknown, 3});
  writer.finish();
  const Corpus corpus(text.directory / "few.bin");
  text.config.all_caps = 0.999999;
  LetterCaseSampler sampler(corpus, *text.tokenizers, text.config, 1);
  const auto pairs = drawn(sampler, {0, 1, 2}, 1);
  CHECK(pairs.at(0) == std::pair(known, no_capital));
  CHECK(pairs.at(1) == std::pair(no_capital, known));
  CHECK(pairs.at(2) == std::pair(known, unknown));
}

TEST_CASE("segmentations are sampled of the text in the case that was chosen") {
  CasedText text;
  text.config.all_caps = 0.5;
  LetterCaseSampler cases(*text.corpus, *text.tokenizers, text.config, 1),
      same(*text.corpus, *text.tokenizers, text.config, 1);
  SegmentationSampler sampler(cases, *text.tokenizers, 0.5, 256, 1);
  const auto chosen = drawn(same, text.all, 3), sampled = drawn(sampler, text.all, 3);
  CHECK(chosen != sampled);
  for (const int64_t pair : text.all) {
    CHECK(text.text_of(chosen.at(pair).first) == text.text_of(sampled.at(pair).first));
    CHECK(text.text_of(chosen.at(pair).second) == text.text_of(sampled.at(pair).second));
  }
}

}  // namespace transformer
