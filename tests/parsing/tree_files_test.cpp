#include "parsing/tree_files.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/line_reader.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kTreebank =
    "( (S (NP-SBJ (DT The) (NN dog)) (VP (VBZ barks) (SBAR (-NONE- 0))) (. .)))\n"
    "( (S (-NONE- *)))\n";

}  // namespace

TEST_CASE("a treebank becomes words, brackets, tags and cleaned trees, and these become the trees again") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "wsj.mrg", kTreebank);
  linearize_treebank({.input = directory / "wsj.mrg",
                      .words = directory / "words",
                      .brackets = directory / "brackets",
                      .tags = directory / "tags",
                      .trees = directory / "trees"});
  CHECK(read_lines(directory / "words") == Lines{"The dog barks .", ""});
  CHECK(read_lines(directory / "brackets") == Lines{"(S (NP XX XX )NP (VP XX )VP XX )S", ""});
  CHECK(read_lines(directory / "tags") == Lines{"DT NN VBZ .", ""});
  CHECK(read_lines(directory / "trees") == Lines{"(TOP (S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .)))", ""});

  restore_trees({.words = directory / "words",
                 .brackets = directory / "brackets",
                 .tags = directory / "tags",
                 .output = directory / "restored"});
  CHECK(read_lines(directory / "restored") == read_lines(directory / "trees"));
}

TEST_CASE("subtrees of two words or more follow their tree") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "wsj.mrg", kTreebank);
  linearize_treebank({.input = directory / "wsj.mrg", .words = directory / "words", .subtrees = true});
  CHECK(read_lines(directory / "words") == Lines{"The dog barks .", "The dog", ""});
}

TEST_CASE("tree files that do not match, or a task without outputs, are refused") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "words", "the dog\n");
  write_file_atomically(directory / "brackets", "(NP XX XX )NP\n");
  write_file_atomically(directory / "tags", "DT\n");
  write_file_atomically(directory / "empty", "");
  CHECK_THROWS_WITH(restore_trees({.words = directory / "words",
                                   .brackets = directory / "brackets",
                                   .tags = directory / "tags",
                                   .output = directory / "out"}),
                    Catch::Contains("tags:1: 1 tag for 2 words"));
  CHECK_THROWS_WITH(
      restore_trees({.words = directory / "empty", .brackets = directory / "empty", .output = directory / "out"}),
      Catch::Contains("empty: is empty"));
  CHECK_THROWS_AS(restore_trees({.words = "-", .brackets = "-"}), UsageError);
  CHECK_THROWS_AS(linearize_treebank({.input = directory / "empty"}), UsageError);
  CHECK_THROWS_AS(linearize_treebank({.input = directory / "empty", .words = "-", .tags = "-"}), UsageError);
  CHECK_THROWS_WITH(linearize_treebank({.input = directory / "empty", .words = directory / "out"}),
                    Catch::Contains("empty: is empty"));
}

}  // namespace transformer
