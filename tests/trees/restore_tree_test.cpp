#include "trees/restore_tree.h"

#include <random>

#include "catch.h"
#include "trees.h"
#include "trees/clean_tree.h"
#include "trees/linearize.h"

namespace transformer {
namespace {

std::string restored(const std::string& tokens, const std::string& words, const std::string& tags = "") {
  return tree_text(restore_tree(tokens_in(tokens), split_words(words), split_words(tags)));
}

}  // namespace

TEST_CASE("restoring a linearized tree with its tags gives the tree") {
  for (const auto& text : kCleanTrees) {
    const Tree tree = tree_of(text);
    std::vector<std::string> words, tags;
    for (const Tree* word : words_of(tree)) {
      words.push_back(word->word);
      tags.push_back(word->label);
    }
    CHECK(restore_tree(linearize(tree), words, tags) == tree);
    CHECK(text_of(linearize(restore_tree(linearize(tree), words))) == text_of(linearize(tree)));
  }
}

TEST_CASE("restoring without tags names every word XX") {
  CHECK(restored("(S (NP XX )NP XX )S", "rain falls") == "(TOP (S (NP (XX rain)) (XX falls)))");
}

TEST_CASE("restoring treats any other token as a word") {
  CHECK(restored("(S (NP NN )NP <unk> )S", "rain falls") == "(TOP (S (NP (XX rain)) (XX falls)))");
}

TEST_CASE("restoring closes brackets that are left open or are inside a closed one") {
  CHECK(restored("(S (NP XX (VP XX", "a b") == "(TOP (S (NP (XX a) (VP (XX b)))))");
  CHECK(restored("(S (NP XX )S", "a") == "(TOP (S (NP (XX a))))");
  CHECK(restored("(S (NP (NP XX )NP XX )S", "a b") == "(TOP (S (NP (NP (XX a)) (XX b))))");
}

TEST_CASE("restoring ignores closing tokens without an open bracket, and empty brackets") {
  CHECK(restored(")S (S )NP XX )VP )S )S", "a") == "(TOP (S (XX a)))");
  CHECK(restored("(S (NP )NP XX (VP (PP )PP )VP )S", "a") == "(TOP (S (XX a)))");
}

TEST_CASE("restoring adapts to a different number of words") {
  CHECK(restored("(S (NP XX XX )NP XX )S", "a") == "(TOP (S (NP (XX a))))");
  CHECK(restored("(S (NP XX )NP )S", "a b c") == "(TOP (S (NP (XX a)) (XX b) (XX c)))");
  CHECK(restored("(S (NP XX", "a b") == "(TOP (S (NP (XX a)) (XX b)))");
  CHECK(restored("(S XX )S (S XX )S", "a b c") == "(TOP (S (XX a)) (S (XX b) (XX c)))");
  CHECK(restored("", "a b") == "(TOP (XX a) (XX b))");
  CHECK(restored("(S )S", "a") == "(TOP (XX a))");
  CHECK(restored("(S XX )S", "") == "(TOP)");
}

TEST_CASE("restoring replaces round brackets in words as the treebank does") {
  CHECK(restored("(S XX XX )S", "( a)b", "( )") == "(TOP (S (-LRB- -LRB-) (-RRB- a-RRB-b)))");
}

TEST_CASE("restoring any sequence of tokens gives one clean tree over exactly the words") {
  static const std::vector<std::string> kTokens = {"(S", "(NP", "(TOP", ")S", ")NP", ")TOP", "XX", "XX", "(", ")", "x"};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<BracketToken> tokens;
    for (size_t length = random() % 13; length > 0; --length) {
      tokens.push_back(read_bracket_token(kTokens[random() % kTokens.size()]));
    }
    std::vector<std::string> words;
    for (size_t word = random() % 6; word > 0; --word) words.push_back(std::string(1, static_cast<char>('a' + word)));
    const Tree tree = restore_tree(tokens, words);
    INFO(text_of(tokens) << ": " << tree_text(tree));
    std::vector<std::string> its_words;
    for (const Tree* word : words_of(tree)) its_words.push_back(word->word);
    REQUIRE(its_words == words);
    REQUIRE(tree.label == "TOP");
    REQUIRE(tree_of(tree_text(tree)) == tree);
    REQUIRE(restore_tree(linearize(tree), words) == tree);
  }
}

TEST_CASE("restoring ignores brackets that are nested too deep") {
  std::vector<BracketToken> tokens(kMaxTreeDepth + 5, {BracketToken::Kind::open, "S"});
  tokens.push_back({});
  const Tree tree = restore_tree(tokens, {"a"});
  CHECK(linearize(tree).size() == 2 * kMaxTreeDepth + 1);
  CHECK(tree_of(tree_text(tree)) == tree);
}

}  // namespace transformer
