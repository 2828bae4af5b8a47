#include "data/batch.h"

#include "catch.h"
#include "temporary_directory.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("batch adds the symbols and fills up shorter rows") {
  const TemporaryDirectory directory;
  CorpusWriter writer(directory / "c.bin");
  const std::vector<int32_t> a = {4, 5, 6}, b = {7}, c = {8, 9};
  writer.add({a, b, 1});
  writer.add({b, c, 2});
  writer.finish();
  const Corpus corpus(directory / "c.bin");
  const Batch batch = make_batch(corpus, {1, 0});
  CHECK(torch::equal(batch.source, ids({{7, 3, 0, 0}, {4, 5, 6, 3}})));
  CHECK(torch::equal(batch.target_in, ids({{2, 8, 9}, {2, 7, 0}})));
  CHECK(torch::equal(batch.target_out, ids({{8, 9, 3}, {7, 3, 0}})));
  CHECK(batch.num_target_tokens == 5);
  CHECK(torch::equal(source_tensor({{4, 5}, {}}), ids({{4, 5, 3}, {3, 0, 0}})));
}

}  // namespace transformer
