#include "parsing/evalb.h"

#include <fmt/core.h>

#include "catch.h"
#include "trees/tree_reader.h"

namespace transformer {
namespace {

using Status = SentenceScore::Status;

SentenceScore score(const std::string& gold, const std::string& predicted,
                    const EvalbParameters& parameters = collins_parameters()) {
  return score_sentence(trees_of_line(gold, "gold", 1), trees_of_line(predicted, "predicted", 1), parameters);
}

const std::string kGold = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))) (. .)))";

}  // namespace

TEST_CASE("a sentence equal to the gold one has all brackets and tags right") {
  const SentenceScore s = score(kGold, kGold);
  CHECK(s.status == Status::valid);
  CHECK(s.length == 6);
  CHECK(s.matched == 4);
  CHECK(s.gold == 4);
  CHECK(s.predicted == 4);
  CHECK(s.crossing == 0);
  CHECK(s.words == 5);
  CHECK(s.correct_tags == 5);
}

TEST_CASE("a bracket matches by words and label") {
  const std::string predicted = "(TOP (S (NP (DT the) (NN dog)) (NP (VBZ sees) (X (DT the) (JJ cat))) (. .)))";
  const SentenceScore s = score(kGold, predicted);
  CHECK(s.matched == 2);
  CHECK(s.correct_tags == 4);
  EvalbParameters unlabeled = collins_parameters();
  unlabeled.labeled = false;
  CHECK(score(kGold, predicted, unlabeled).matched == 4);
}

TEST_CASE("a bracket crosses a gold one if they overlap and neither contains the other") {
  // "dog sees" overlaps the subject and the verb phrase and counts once.
  const SentenceScore s = score(kGold, "(TOP (S (DT the) (VP (NN dog) (VBZ sees)) (NP (DT the) (NN cat)) (. .)))");
  CHECK(s.crossing == 1);
  CHECK(s.matched == 2);
  CHECK(s.predicted == 3);
}

TEST_CASE("brackets of the same label and words are matched one to one") {
  const SentenceScore more = score("(S (NP (NN a)))", "(S (NP (NP (NP (NN a)))))");
  CHECK(more.matched == 2);
  CHECK(more.predicted == 4);
  const SentenceScore fewer = score("(S (NP (NP (NP (NN a)))))", "(S (NP (NN a)))");
  CHECK(fewer.matched == 2);
  CHECK(fewer.gold == 4);
}

TEST_CASE("deleted tags remove their words, deleted labels only their brackets") {
  const SentenceScore s = score("(TOP (S (NN a) (: --) (NP (, ,)) (S (-NONE- *))))", "(S (TOP (NN a)))");
  CHECK(s.status == Status::valid);
  CHECK(s.length == 3);  // all words but the trace count
  CHECK(s.gold == 1);
  CHECK(s.matched == 1);
}

TEST_CASE("a bracket is also deleted if its label is declared equal to a deleted one, but a word is not") {
  EvalbParameters parameters;
  parameters.deleted = {"A"};
  parameters.labels.add("A", "B");
  const SentenceScore s = score("(S (B (B a) (X b)))", "(S (B (B a) (X b)))", parameters);
  CHECK(s.words == 2);
  CHECK(s.gold == 1);
  CHECK(s.predicted == 1);
}

TEST_CASE("brackets are compared by their positions among the remaining words") {
  CHECK(score("(S (NP (NN a) (, ,)) (VP (VB b)))", "(S (NP (NN a)) (, ,) (VP (VB b)))").matched == 3);
}

TEST_CASE("function tags and indices are ignored, alternative labels are not") {
  CHECK(score("(S (NP-SBJ-1 (NN a)) (PP=2 (IN b)))", "(S (NP (NN a)) (PP-LOC (IN b)))").matched == 3);
  CHECK(score("(S (ADVP|PRT (RB a)))", "(S (ADVP (RB a)))").matched == 1);
}

TEST_CASE("labels and words that are declared equal match in both directions, but not transitively") {
  CHECK(score("(S (ADVP (RB a)))", "(S (PRT (RB a)))").matched == 2);
  CHECK(score("(S (PRT (RB a)))", "(S (ADVP (RB a)))").matched == 2);
  EvalbParameters parameters;
  parameters.labels.add("A", "B");
  parameters.labels.add("B", "C");
  parameters.words.add("this", "This");
  CHECK(score("(A (X this))", "(B (X This))", parameters).matched == 1);
  CHECK(score("(A (A this))", "(C (B this))", parameters).matched == 0);
  CHECK(score("(A (A this))", "(C (B this))", parameters).correct_tags == 1);
}

TEST_CASE("sentences with other words are errors, sentences without words are skipped") {
  const SentenceScore longer = score("(S (NN a))", "(S (NN a) (NN b))");
  CHECK(longer.status == Status::error);
  CHECK(longer.complaint == "1 word in gold, 2 predicted");
  const SentenceScore other = score("(S (NN a))", "(S (NN b))");
  CHECK(other.status == Status::error);
  CHECK(other.complaint == "word 'a' in gold, 'b' predicted");
  CHECK(other.gold == 0);
  for (const char* nothing : {"", "()", "(TOP (S))", "(TOP (. .))"}) {
    const SentenceScore skipped = score("(S (NN a))", nothing);
    CHECK(skipped.status == Status::skipped);
    CHECK(skipped.length == 1);
    CHECK(skipped.words == 0);
  }
}

TEST_CASE("a line may contain words without a bracket around them") {
  const SentenceScore s = score("(S (A (P this)) (Q is))", "(P this) (Q is)");
  CHECK(s.status == Status::valid);
  CHECK(s.predicted == 0);
  CHECK(s.words == 2);
}

TEST_CASE("quotation marks that are deleted on one side only are kept") {
  const std::string gold = "(S (NP (NNS dogs) (POS ')) (NN tail))", predicted = "(S (NP (NNS dogs)) ('' ') (NN tail))";
  EvalbParameters parameters = collins_parameters();
  CHECK(score(gold, predicted, parameters).status == Status::error);
  parameters.quote_tags = {"''", "POS"};
  const SentenceScore s = score(gold, predicted, parameters);
  CHECK(s.status == Status::valid);
  CHECK(s.words == 3);
  CHECK(s.correct_tags == 2);
  CHECK(s.matched == 1);
}

TEST_CASE("quotation marks belong together if as many words that are not deleted precede them") {
  EvalbParameters parameters = collins_parameters();
  parameters.quote_tags = {"''", "POS"};
  const auto status = [&](const std::string& gold, const std::string& predicted) {
    return score(gold, predicted, parameters).status;
  };
  CHECK(status("(S ('' ') (NN a) (POS '))", "(S (POS ') (NN a) (JJ '))") == Status::valid);
  CHECK(status("(S (POS ') (NN a) (POS '))", "(S ('' ') (NN a) ('' '))") == Status::valid);
  CHECK(status("(S ('' ') (NN a) (NN b))", "(S (NN a) (POS ') (NN b))") == Status::error);
  // They are compared only if the numbers of words differ.
  CHECK(status("(S ('' ') (NN a) (POS '))", "(S (POS ') (NN a) ('' '))") == Status::error);
}

TEST_CASE("quotation marks are the words that EVALB takes for some") {
  EvalbParameters parameters = collins_parameters();
  parameters.quote_tags = {"''", "POS"};
  const auto status = [&](const std::string& word) {
    return score("(S (NN a) (POS " + word + "))", "(S (NN a) ('' " + word + "))", parameters).status;
  };
  for (const char* word : {"'", "\"", "/"}) CHECK(status(word) == Status::valid);
  for (const char* word : {"''", "``", "`", "a"}) CHECK(status(word) == Status::error);
}

TEST_CASE("parse score sums up the valid sentences") {
  ParseScore total;
  total.add(score(kGold, kGold));
  total.add(score(kGold, "(TOP (S (DT the) (VP (NN dog) (VBZ sees)) (NP (DT the) (NN cat)) (. .)))"));
  total.add(score(kGold, ""));
  total.add(score(kGold, "(S (NN a))"));
  CHECK(total.sentences == 4);
  CHECK(total.valid() == 2);
  CHECK(total.errors == 1);
  CHECK(total.skipped == 1);
  CHECK(total.recall() == Approx(100. * 6 / 8));
  CHECK(total.precision() == Approx(100. * 6 / 7));
  CHECK(total.f1() == Approx(100. * 2 * 6 / 15));
  CHECK(total.complete_match() == 50);
  CHECK(total.average_crossing() == 0.5);
  CHECK(total.no_crossing() == 50);
  CHECK(total.two_or_less_crossing() == 100);
  CHECK(total.tagging_accuracy() == 100);
}

TEST_CASE("parse score has EVALB's last digit") {
  ParseScore score;
  score.matched = score.correct_tags = 23;
  score.gold = score.predicted = score.words = 160;
  for (const double value : {score.recall(), score.precision(), score.tagging_accuracy()}) {
    CHECK(fmt::format("{:.2f}", value) == "14.38");
  }
  score.matched = 1;
  score.gold = 7;
  score.predicted = 57;
  CHECK(fmt::format("{:.2f}", score.f1()) == "3.13");
}

TEST_CASE("parse score of no sentences is 0") {
  const ParseScore nothing;
  CHECK(nothing.f1() == 0);
  CHECK(nothing.complete_match() == 0);
}

}  // namespace transformer
