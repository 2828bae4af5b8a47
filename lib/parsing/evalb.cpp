#include "parsing/evalb.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/format.h"

namespace transformer {
namespace {

struct Word {
  std::string text, tag;
  bool deleted;
};

/// A quotation mark.
struct Quote {
  Word* word;
  bool has_deleted_tag;
  size_t position;  // among the words that are not deleted
};

/// A bracket around the words [begin, end).
struct Bracket {
  std::string label;
  size_t begin, end;
  bool matched = false;
};

bool crosses(const Bracket& one, const Bracket& other) {
  return (one.begin < other.begin && other.begin < one.end && one.end < other.end) ||
         (other.begin < one.begin && one.begin < other.end && other.end < one.end);
}

/// The words and the brackets of a sentence's trees, some of them marked as deleted.
class Sentence {
 public:
  Sentence(const std::vector<Tree>& trees, const EvalbParameters& parameters) : parameters_(parameters) {
    for (const Tree& tree : trees) add(tree);
  }

  int64_t length() const {
    return std::count_if(words_.begin(), words_.end(),
                         [&](const Word& word) { return !parameters_.deleted_for_length.contains(word.tag); });
  }

  std::vector<const Word*> words() const {
    std::vector<const Word*> kept;
    for (const Word& word : words_) {
      if (!word.deleted) kept.push_back(&word);
    }
    return kept;
  }

  /// The brackets that count, from the outermost inwards, with positions among the words that are not deleted.
  std::vector<Bracket> brackets() const {
    std::vector<size_t> num_before = {0};
    for (const Word& word : words_) num_before.push_back(num_before.back() + (word.deleted ? 0 : 1));
    std::vector<Bracket> counted;
    for (Bracket bracket : brackets_) {
      bracket.begin = num_before[bracket.begin];
      bracket.end = num_before[bracket.end];
      if (bracket.begin < bracket.end && !is_deleted(bracket)) counted.push_back(bracket);
    }
    return counted;
  }

  /// The quotation marks whose tag may be wrong.
  std::vector<Quote> quotes() {
    static const std::set<std::string> kMarks = {"'", "\"", "/"};
    std::vector<Quote> found;
    size_t position = 0;
    for (Word& word : words_) {
      if (kMarks.contains(word.text) && parameters_.quote_tags.contains(word.tag))
        found.push_back({&word, word.deleted, position});
      if (!word.deleted) ++position;
    }
    return found;
  }

 private:
  /// EVALB compares the labels of brackets by EQ_LABEL here, but the tags of words exactly.
  bool is_deleted(const Bracket& bracket) const {
    return std::any_of(parameters_.deleted.begin(), parameters_.deleted.end(),
                       [&](const std::string& label) { return parameters_.labels.same(bracket.label, label); });
  }

  void add(const Tree& tree) {
    if (tree.is_word()) {
      words_.push_back({tree.word, tree.label, parameters_.deleted.contains(tree.label)});
      return;
    }
    const size_t index = brackets_.size();
    brackets_.push_back({cut_label(tree.label), words_.size(), 0});
    for (const Tree& child : tree.children) add(child);
    brackets_[index].end = words_.size();
  }

  /// The label without function tags. EVALB does not split "ADVP|PRT".
  static std::string cut_label(const std::string& label) { return label.substr(0, label.find_first_of("-=", 1)); }

  const EvalbParameters& parameters_;
  std::vector<Word> words_;
  std::vector<Bracket> brackets_;
};

/// Keeps a quotation mark that is deleted on one side only, because the tags differ, on both sides. As in EVALB, marks
/// with the same position belong together.
void keep_disputed_quotes(Sentence& gold, Sentence& predicted) {
  std::vector<Quote> of_gold = gold.quotes(), of_predicted = predicted.quotes();
  const auto keep = [](std::vector<Quote>& quotes, size_t index) {
    if (!quotes[index].word->deleted) return;
    quotes[index].word->deleted = false;
    for (size_t i = index; i < quotes.size(); ++i) ++quotes[i].position;
  };
  for (size_t i = 0; i < of_predicted.size(); ++i) {
    const size_t position = of_predicted[i].position;
    for (size_t j = 0; j < of_gold.size(); ++j) {
      if (of_gold[j].position != position || of_gold[j].has_deleted_tag == of_predicted[i].has_deleted_tag) continue;
      of_gold[j].has_deleted_tag ? keep(of_gold, j) : keep(of_predicted, i);
    }
  }
}

/// Describes the first difference between the words, or returns an empty text if they are the same.
std::string compare_words(const std::vector<const Word*>& gold, const std::vector<const Word*>& predicted,
                          const EvalbParameters& parameters) {
  if (gold.size() != predicted.size()) {
    return fmt::format("{} in gold, {} predicted", counted(std::ssize(gold), "word"), predicted.size());
  }
  for (size_t i = 0; i < gold.size(); ++i) {
    if (!parameters.words.same(gold[i]->text, predicted[i]->text)) {
      return fmt::format("word '{}' in gold, '{}' predicted", gold[i]->text, predicted[i]->text);
    }
  }
  return "";
}

/// Each gold bracket matches at most one predicted bracket, and each predicted one at most one gold bracket.
int64_t count_matches(std::vector<Bracket>& gold, std::vector<Bracket>& predicted, const EvalbParameters& parameters) {
  int64_t matches = 0;
  for (const Bracket& bracket : gold) {
    const auto match = std::find_if(predicted.begin(), predicted.end(), [&](const Bracket& other) {
      return !other.matched && bracket.begin == other.begin && bracket.end == other.end &&
             (!parameters.labeled || parameters.labels.same(bracket.label, other.label));
    });
    if (match == predicted.end()) continue;
    match->matched = true;
    ++matches;
  }
  return matches;
}

/// In percent, with the operations in EVALB's order: 23 of 160 is 14.38 in two digits, where 100 * (23 / 160) is 14.37.
double percentage(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

BracketCounts& BracketCounts::operator+=(const BracketCounts& other) {
  matched += other.matched;
  gold += other.gold;
  predicted += other.predicted;
  crossing += other.crossing;
  words += other.words;
  correct_tags += other.correct_tags;
  return *this;
}

double BracketCounts::recall() const { return percentage(matched, gold); }
double BracketCounts::precision() const { return percentage(matched, predicted); }
double BracketCounts::f1() const {
  const double p = precision(), r = recall();
  return p + r == 0 ? 0 : 2 * p * r / (p + r);
}
double BracketCounts::tagging_accuracy() const { return percentage(correct_tags, words); }

SentenceScore score_sentence(const std::vector<Tree>& gold_trees, const std::vector<Tree>& predicted_trees,
                             const EvalbParameters& parameters) {
  Sentence gold(gold_trees, parameters), predicted(predicted_trees, parameters);
  SentenceScore score;
  score.length = gold.length();
  if (predicted.words().empty()) {
    score.status = SentenceScore::Status::skipped;
    return score;
  }
  if (gold.words().size() != predicted.words().size()) keep_disputed_quotes(gold, predicted);
  const std::vector<const Word*> gold_words = gold.words(), predicted_words = predicted.words();
  score.complaint = compare_words(gold_words, predicted_words, parameters);
  if (!score.complaint.empty()) {
    score.status = SentenceScore::Status::error;
    return score;
  }
  std::vector<Bracket> gold_brackets = gold.brackets(), predicted_brackets = predicted.brackets();
  score.gold = static_cast<int64_t>(gold_brackets.size());
  score.predicted = static_cast<int64_t>(predicted_brackets.size());
  score.matched = count_matches(gold_brackets, predicted_brackets, parameters);
  score.crossing = std::count_if(predicted_brackets.begin(), predicted_brackets.end(), [&](const Bracket& bracket) {
    return std::any_of(gold_brackets.begin(), gold_brackets.end(),
                       [&](const Bracket& other) { return crosses(bracket, other); });
  });
  score.words = static_cast<int64_t>(gold_words.size());
  for (size_t i = 0; i < gold_words.size(); ++i) {
    score.correct_tags += parameters.labels.same(gold_words[i]->tag, predicted_words[i]->tag) ? 1 : 0;
  }
  return score;
}

void ParseScore::add(const SentenceScore& sentence) {
  ++sentences;
  if (sentence.status == SentenceScore::Status::error) ++errors;
  if (sentence.status == SentenceScore::Status::skipped) ++skipped;
  if (sentence.status != SentenceScore::Status::valid) return;
  *this += sentence;
  complete += sentence.matched == sentence.gold && sentence.matched == sentence.predicted ? 1 : 0;
  without_crossing += sentence.crossing == 0 ? 1 : 0;
  with_two_crossing_at_most += sentence.crossing <= 2 ? 1 : 0;
}

double ParseScore::complete_match() const { return percentage(complete, valid()); }
double ParseScore::no_crossing() const { return percentage(without_crossing, valid()); }
double ParseScore::two_or_less_crossing() const { return percentage(with_two_crossing_at_most, valid()); }
double ParseScore::average_crossing() const {
  return valid() == 0 ? 0 : static_cast<double>(crossing) / static_cast<double>(valid());
}

}  // namespace transformer
