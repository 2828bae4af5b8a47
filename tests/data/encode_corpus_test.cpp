#include "data/encode_corpus.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "data/corpus.h"
#include "word_tokenizer.h"

namespace transformer {

TEST_CASE("a tag is encoded like other text, and refused if the vocabulary lacks one of its characters") {
  const Tokenizers tokenizers(tokenizer_of("one two three four\n", 25));
  std::vector<TrainingCorpus> text = {{{"a", "b"}, {}, ""}, {{"c", "d"}, {}, "one"}};
  CHECK(encode_tags(text, tokenizers.source()) ==
        std::vector<std::vector<TokenId>>{{}, tokenizers.source().encode("one")});
  text.back().tag = "<bt>";
  CHECK_THROWS_AS(encode_tags(text, tokenizers.source()), UsageError);
}

TEST_CASE("a blank source line is dropped though the corpus has a tag") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "source", "one two\n\nfour\n");
  write_file_atomically(directory / "target", "two one\nthree\nfour four\n");
  const Tokenizers tokenizers(tokenizer_of("one two\nthree\nfour\n", 25));
  DataConfig config;
  config.max_dropped = 0.5;
  StatusLine status;
  const CorpusTask task{.name = "corpus",
                        .num_lines = 3,
                        .text = {{directory / "source", directory / "target"}},
                        .tags = {tokenizers.source().encode("one")}};
  CorpusWriter writer(directory / "c.bin", tokenizers.sizes());
  CHECK(encode_corpus(task, tokenizers, config, 1, writer, status).pairs_of_files == std::vector<int64_t>{2});
}

TEST_CASE("encoding a corpus counts what it adds, and is refused if too many pairs are dropped") {
  const TemporaryDirectory directory;
  const std::string source = directory / "source", target = directory / "target";
  const std::string source_text = "one two\nthree\nfour\n";
  write_file_atomically(source, source_text);
  write_file_atomically(target, "two one\n\nfour four\n");
  const Tokenizers tokenizers(tokenizer_of(source_text, 25));
  DataConfig config;
  config.max_dropped = 0.5;
  StatusLine status;
  const CorpusTask task{.name = "corpus", .num_lines = 3, .text = {{source, target}}};
  CorpusWriter writer(directory / "c.bin", tokenizers.sizes());
  const CorpusRecord record = encode_corpus(task, tokenizers, config, 2, writer, status);
  writer.finish();
  const Corpus corpus(directory / "c.bin");
  REQUIRE(corpus.size() == 2);
  CHECK(corpus[1].line == 3);
  CHECK(record.num_lines == 3);
  CHECK(record.pairs_of_files == std::vector<int64_t>{2});
  CHECK(record.source_pieces == std::ssize(corpus[0].source) + std::ssize(corpus[1].source));
  CHECK(record.target_pieces == std::ssize(corpus[0].target) + std::ssize(corpus[1].target));
  const FaultyPairs& empty = record.account.dropped[PairFault::empty];
  CHECK(empty.count == 1);
  CHECK(empty.examples == std::vector<std::string>{source + ":2"});

  config.max_dropped = 0.1;
  CorpusWriter unfinished(directory / "c.bin", tokenizers.sizes());
  CHECK_THROWS_WITH(encode_corpus(task, tokenizers, config, 2, unfinished, status),
                    Catch::StartsWith("corpus: 1 of 3 pairs cannot be used"));
}

}  // namespace transformer
