#include "decoding/terminology.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/format.h"
#include "base/words.h"
#include "text/word_boundary.h"

namespace transformer {
namespace {

/// The words of a phrase with one space between them.
std::string with_single_spaces(const std::string& text) { return fmt::format("{}", fmt::join(split_words(text), " ")); }

/// The first bytes of a source, by which terms are looked up.
constexpr size_t kKeyBytes = 4;

/// Whether the text has the phrase at this place, from a word's beginning.
bool begins_at(std::string_view text, size_t place, std::string_view phrase) {
  return text.substr(place).starts_with(phrase) &&
         is_word_boundary(last_character(text.substr(0, place)), first_character(phrase));
}

/// How often the text has the phrase, from a word's beginning.
int64_t count_in(std::string_view text, std::string_view phrase) {
  int64_t count = 0;
  for (size_t place = text.find(phrase); place != std::string_view::npos; place = text.find(phrase, place + 1)) {
    count += begins_at(text, place, phrase) ? 1 : 0;
  }
  return count;
}

}  // namespace

Terminology::Terminology(const std::vector<Term>& terms, const Tokenizer& target) : tokenizer_(target) {
  std::map<std::string, const Term*> by_source;
  terms_.reserve(terms.size());
  for (const Term& given : terms) {
    Term term{with_single_spaces(given.source), with_single_spaces(given.target), given.place};
    const auto pieces = target.encode(term.target);
    if (term.source.empty() || pieces.empty()) {
      throw Error("{}: has no {} phrase; write both, or leave the term out", term.place,
                  term.source.empty() ? "source" : "target");
    }
    if (std::find(pieces.begin(), pieces.end(), target.special_tokens().unknown) != pieces.end()) {
      throw Error(
          "{}: '{}' has a character that the model's vocabulary lacks, so no translation can have it; leave "
          "the term out",
          term.place, shown_value(term.target));
    }
    term.target = with_single_spaces(target.decode(pieces));
    const auto [other, is_new] = by_source.try_emplace(term.source, nullptr);
    if (!is_new && other->second->target != term.target) {
      throw Error("{}: '{}' is to be '{}', but {} says '{}'; leave out one of them", term.place,
                  shown_value(term.source), shown_value(term.target), other->second->place,
                  shown_value(other->second->target));
    }
    if (!is_new) continue;
    terms_.push_back(term);
    other->second = &terms_.back();
    by_first_bytes_[term.source.substr(0, kKeyBytes)].push_back(&terms_.back());
  }
}

std::vector<const Term*> Terminology::find(std::string_view line) const {
  struct Match {
    size_t begin, end;
    const Term* term;
  };
  const std::string text = with_single_spaces(std::string(line));
  const std::string_view view = text;
  std::vector<Match> matches;
  for (size_t begin = 0; begin < text.size(); ++begin) {
    for (size_t length = 1; length <= std::min(kKeyBytes, text.size() - begin); ++length) {
      const auto terms = by_first_bytes_.find(view.substr(begin, length));
      if (terms == by_first_bytes_.end()) continue;
      for (const Term* term : terms->second) {
        const size_t end = begin + term->source.size();
        const bool ends_word =
            end >= text.size() || is_word_boundary(last_character(term->source), first_character(view.substr(end)));
        if (ends_word && begins_at(text, begin, term->source)) matches.push_back({begin, end, term});
      }
    }
  }
  std::vector<const Term*> found;
  for (const Match& match : matches) {
    const bool is_within_another = std::any_of(matches.begin(), matches.end(), [&](const Match& other) {
      return other.begin <= match.begin && match.end <= other.end && other.end - other.begin > match.end - match.begin;
    });
    if (!is_within_another) found.push_back(match.term);
  }
  return found;
}

std::shared_ptr<const LogitsProcessor> Terminology::processor(const std::vector<const Term*>& terms) const {
  return std::make_shared<TermProcessor>(terms, tokenizer_);
}

std::vector<Term> unmet_terms(const std::vector<Term>& terms, std::string_view text) {
  std::map<std::string, int64_t> num_left;
  std::vector<Term> unmet;
  for (const Term& term : terms) {
    const auto left = num_left.try_emplace(term.target, count_in(text, term.target)).first;
    if (left->second-- <= 0) unmet.push_back(term);
  }
  return unmet;
}

/// The text of a hypothesis.
struct TermProcessor::Text : State {
  std::string text;
};

TermProcessor::TermProcessor(const std::vector<const Term*>& terms, const Tokenizer& target) : tokenizer_(target) {
  for (const Term* term : terms) {
    auto goal =
        std::find_if(goals_.begin(), goals_.end(), [&](const Goal& other) { return other.target == term->target; });
    if (goal == goals_.end()) goal = goals_.insert(goals_.end(), {term->target, target.encode(term->target)});
    ++goal->times;
    ++num_goals_;
  }
}

size_t TermProcessor::num_begun(const Goal& goal, const std::vector<TokenId>& tokens) {
  for (size_t count = std::min(goal.pieces.size() - 1, tokens.size()); count > 0; --count) {
    if (std::equal(goal.pieces.begin(), goal.pieces.begin() + static_cast<std::ptrdiff_t>(count),
                   tokens.end() - static_cast<std::ptrdiff_t>(count))) {
      return count;
    }
  }
  return 0;
}

LogitsProcessor::SharedState TermProcessor::initial_state() const { return std::make_shared<Text>(); }

LogitsProcessor::SharedState TermProcessor::next_state(const SharedState& state, TokenId token) const {
  auto next = std::make_shared<Text>(static_cast<const Text&>(*state));
  next->text += tokenizer_.text_of(token);
  return next;
}

Progress TermProcessor::progress(const std::vector<TokenId>& tokens, const State* state) const {
  const std::string& text = static_cast<const Text*>(state)->text;
  Progress progress;
  for (const Goal& goal : goals_) {
    const int64_t times = std::min(count_in(text, goal.target), goal.times);
    progress.reached += times;
    if (times < goal.times) progress.begun = std::max(progress.begun, static_cast<int64_t>(num_begun(goal, tokens)));
  }
  return progress;
}

void TermProcessor::process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const {
  const std::string& text = static_cast<const Text*>(state)->text;
  for (const Goal& goal : goals_) {
    if (count_in(text, goal.target) < goal.times) rules.want(goal.pieces[num_begun(goal, tokens)]);
  }
}

}  // namespace transformer
