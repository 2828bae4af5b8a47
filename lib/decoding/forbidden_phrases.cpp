#include "decoding/forbidden_phrases.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/words.h"
#include "text/word_boundary.h"

namespace transformer {

/// The phrases that the text of a hypothesis has begun.
struct ForbiddenPhrases::OpenPhrases : State {
  std::vector<size_t> nodes = {};  // without the roots
  char32_t last = kOutsideText;    // the text's last character
  std::string incomplete = {};     // the text's last bytes, of which `last` is made
};

ForbiddenPhrases::ForbiddenPhrases(const std::vector<std::string>& phrases, const Tokenizer& tokenizer) {
  for (const std::string& phrase : phrases) add(phrase, tokenizer);
  for (TokenId id = 0; id < tokenizer.size(); ++id) texts_.push_back(tokenizer.text_of(id));
  by_text_.resize(texts_.size());
  std::iota(by_text_.begin(), by_text_.end(), 0);
  const auto text_of = [&](TokenId id) -> const std::string& { return texts_[static_cast<size_t>(id)]; };
  std::sort(by_text_.begin(), by_text_.end(), [&](TokenId a, TokenId b) { return text_of(a) < text_of(b); });
  for (const TokenId id : by_text_) {
    if (occurs_from(text_of(id), 1)) always_.push_back(id);
  }
  completing_.resize(nodes_.size());
  for (size_t node = 0; node < nodes_.size(); ++node) {
    add_completing(node, 0, by_text_.size(), 0, completing_[node]);
  }
}

void ForbiddenPhrases::add(const std::string& phrase, const Tokenizer& tokenizer) {
  std::string text = fmt::format("{}", fmt::join(split_words(phrase), " "));
  const bool begins_anywhere = text.starts_with('*');
  if (begins_anywhere) text.erase(0, 1);
  const bool ends_anywhere = text.ends_with('*');
  if (ends_anywhere) text.pop_back();
  // In the form that outputs have, such as in lower case.
  const auto pieces = tokenizer.encode(text);
  if (std::find(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown) == pieces.end()) {
    text = fmt::format("{}", fmt::join(split_words(tokenizer.decode(pieces)), " "));
  }
  if (text.empty()) throw Error("'{}' is no word or phrase; leave it out", shown_value(phrase));
  size_t node = begins_anywhere || may_begin_word_after(first_character(text)) ? kAnyRoot : kWordRoot;
  for (const char byte : text) {
    const auto [child, is_new] = nodes_[node].children.try_emplace(byte, nodes_.size());
    node = child->second;
    if (is_new) nodes_.push_back({.byte = byte});
  }
  nodes_[node].last = last_character(text);
  (ends_anywhere ? nodes_[node].ends_anywhere : nodes_[node].ends_phrase) = true;
}

size_t ForbiddenPhrases::next_node(size_t node, char byte) const {
  const auto child = nodes_[node].children.find(byte);
  if (child != nodes_[node].children.end()) return child->second;
  return byte == ' ' && nodes_[node].byte == ' ' ? node : kNone;
}

bool ForbiddenPhrases::is_complete(const Node& node, std::string_view rest) const {
  if (node.ends_anywhere) return true;
  return node.ends_phrase && (rest.empty() || is_word_boundary(node.last, first_character(rest)));
}

bool ForbiddenPhrases::occurs_from(std::string_view text, size_t first) const {
  for (size_t begin = first; begin < text.size(); ++begin) {
    const bool begins_word = may_begin_word_after(last_character(text.substr(0, begin)));
    for (size_t node : {kAnyRoot, kWordRoot}) {
      if (node == kWordRoot && !begins_word) continue;
      for (size_t i = begin; i < text.size() && node != kNone; ++i) {
        node = next_node(node, text[i]);
        if (node != kNone && is_complete(nodes_[node], text.substr(i + 1))) return true;
      }
    }
  }
  return false;
}

void ForbiddenPhrases::add_completing(size_t node, size_t begin, size_t end, size_t depth,
                                      std::vector<TokenId>& tokens) const {
  const auto text_of = [&](size_t place) -> const std::string& { return texts_[static_cast<size_t>(by_text_[place])]; };
  if (depth > 0 && (nodes_[node].ends_phrase || nodes_[node].ends_anywhere)) {
    for (size_t place = begin; place < end; ++place) {
      if (is_complete(nodes_[node], std::string_view(text_of(place)).substr(depth))) tokens.push_back(by_text_[place]);
    }
  }
  while (begin < end && text_of(begin).size() == depth) ++begin;
  const auto descend = [&](char byte, size_t next) {
    // As in the order of std::string, which compares bytes without their signs.
    const auto byte_at = [&](TokenId id) { return static_cast<unsigned char>(texts_[static_cast<size_t>(id)][depth]); };
    const auto first = by_text_.begin() + static_cast<std::ptrdiff_t>(begin),
               last = by_text_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto from =
        std::partition_point(first, last, [&](TokenId id) { return byte_at(id) < static_cast<unsigned char>(byte); });
    const auto to =
        std::partition_point(from, last, [&](TokenId id) { return byte_at(id) == static_cast<unsigned char>(byte); });
    if (from == to) return;
    add_completing(next, static_cast<size_t>(from - by_text_.begin()), static_cast<size_t>(to - by_text_.begin()),
                   depth + 1, tokens);
  };
  for (const auto& [byte, child] : nodes_[node].children) descend(byte, child);
  if (nodes_[node].byte == ' ' && !nodes_[node].children.contains(' ')) descend(' ', node);
}

LogitsProcessor::SharedState ForbiddenPhrases::initial_state() const { return std::make_shared<OpenPhrases>(); }

LogitsProcessor::SharedState ForbiddenPhrases::next_state(const SharedState& state, TokenId token) const {
  const auto& before = static_cast<const OpenPhrases&>(*state);
  auto next = std::make_shared<OpenPhrases>(before);
  for (const char byte : texts_[static_cast<size_t>(token)]) {
    std::vector<size_t> nodes = std::move(next->nodes);
    nodes.push_back(kAnyRoot);
    if (may_begin_word_after(next->last)) nodes.push_back(kWordRoot);
    next->nodes.clear();
    for (const size_t node : nodes) {
      const size_t after = next_node(node, byte);
      if (after != kNone) next->nodes.push_back(after);
    }
    next->incomplete.push_back(byte);
    next->last = last_character(next->incomplete);
    if (next->incomplete.size() > 4) next->incomplete.erase(0, 1);
  }
  return next;
}

void ForbiddenPhrases::process(const std::vector<TokenId>& /*tokens*/, const State* state,
                               NextTokenRules& rules) const {
  const auto& open = static_cast<const OpenPhrases&>(*state);
  rules.ban(always_);
  for (const size_t node : open.nodes) rules.ban(completing_[node]);
  rules.ban(completing_[kAnyRoot]);
  if (may_begin_word_after(open.last)) rules.ban(completing_[kWordRoot]);
}

}  // namespace transformer
