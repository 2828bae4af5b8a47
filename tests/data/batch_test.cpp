#include "data/batch.h"

#include "base/temporary_directory.h"
#include "catch.h"
#include "data/corpus.h"

namespace transformer {

TEST_CASE("batch adds the symbols and sets sentences one after the other") {
  const TemporaryDirectory directory;
  CorpusWriter writer(directory / "c.bin", /*vocabulary_size=*/10);
  const std::vector<TokenId> a = {4, 5, 6}, b = {7}, c = {8, 9};
  writer.add({a, b, 1});
  writer.add({b, c, 2});
  writer.finish();
  const Corpus corpus(directory / "c.bin");
  const Batch batch = make_batch(corpus, {1, 0});
  using Lengths = std::vector<int64_t>;
  CHECK(torch::equal(batch.source.data, torch::tensor({7, 3, 4, 5, 6, 3})));
  CHECK(batch.source.packing.lengths() == Lengths{2, 4});
  CHECK(torch::equal(batch.target_in.data, torch::tensor({2, 8, 9, 2, 7})));
  CHECK(batch.target_in.packing.lengths() == Lengths{3, 2});
  CHECK(torch::equal(batch.target_out, torch::tensor({8, 9, 3, 7, 3})));
  CHECK(batch.num_target_tokens() == 5);
  const PackedSequence sources = make_sources({{4, 5}, {}}, SpecialTokens());
  CHECK(torch::equal(sources.data, torch::tensor({4, 5, 3, 3})));
  CHECK(sources.packing.lengths() == Lengths{3, 1});
}

TEST_CASE("batch takes each side's special symbols from the corpus") {
  const TemporaryDirectory directory;
  CorpusWriter writer(directory / "c.bin", /*vocabulary_size=*/10);
  const std::vector<TokenId> a = {4, 5, 6}, b = {7};
  writer.add({a, b, 1});
  writer.finish();
  const SpecialTokens source{.pad = 9, .end = 0}, target{.pad = 9, .end = 1, .decoder_start = 9};
  const auto special = SourceAndTarget<SpecialTokens>::separate(source, target);
  const Corpus corpus(directory / "c.bin", /*parts=*/{}, special);
  const auto check = [](const Batch& batch) {
    CHECK(torch::equal(batch.source.data, torch::tensor({4, 5, 6, 0})));
    CHECK(torch::equal(batch.target_in.data, torch::tensor({9, 7})));
    CHECK(torch::equal(batch.target_out, torch::tensor({7, 1})));
  };
  check(make_batch(corpus, {0}));
  check(make_batch({corpus[0]}, special));
  check(make_batch({corpus[0]}, std::vector<int64_t>{0}, special));
  CHECK(torch::equal(make_sources({{4, 5}}, source).data, torch::tensor({4, 5, 0})));
}

}  // namespace transformer
