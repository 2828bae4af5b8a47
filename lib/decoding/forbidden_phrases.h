#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/logits_processor.h"
#include "text/tokenizer.h"

namespace transformer {

/// Bans words and phrases from outputs, however their text is divided into pieces. A phrase is matched where a word
/// begins, and with an asterisk before it, as in "*phrase", also within words. A piece is banned if the output's text
/// would then end with a phrase, or contain one at whose end a word ends; with an asterisk behind it, as in "phrase*",
/// a phrase may also be followed by anything. So an output never has a phrase, and a longer word that begins with a
/// phrase only if a piece spans the phrase's end. Case counts, and a run of spaces is one space.
class ForbiddenPhrases : public LogitsProcessor {
 public:
  /// Throws Error if a phrase has no text. The tokenizer need not outlive this object.
  ForbiddenPhrases(const std::vector<std::string>& phrases, const Tokenizer& tokenizer);

  SharedState initial_state() const override;
  SharedState next_state(const SharedState& state, TokenId token) const override;
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

  /// Whether the text has one of the phrases.
  bool occurs_in(std::string_view text) const { return occurs_from(text, 0); }

 private:
  struct OpenPhrases;

  /// A node of a tree of the phrases' bytes.
  struct Node {
    std::map<char, size_t> children = {};
    char byte = '\0';            // that leads to this node
    bool ends_phrase = false;    // a phrase ends here, if a word ends
    bool ends_anywhere = false;  // a phrase ends here, whatever follows
    char32_t last = U' ';        // the last character of a phrase that ends here
  };
  /// The roots of the phrases that are matched where a word begins, and of those that are matched anywhere.
  static constexpr size_t kWordRoot = 0, kAnyRoot = 1;

  void add(const std::string& phrase, const Tokenizer& tokenizer);
  /// The node of a hypothesis at `node` after one more byte, or kNone.
  size_t next_node(size_t node, char byte) const;
  /// Whether a phrase that ends at this node is complete before `rest`.
  bool is_complete(const Node& node, std::string_view rest) const;
  /// Whether a phrase begins at byte `first` of the text or later, and ends in it.
  bool occurs_from(std::string_view text, size_t first) const;
  /// Adds the tokens [begin, end) of `by_text_`, all of which have the bytes to `node` after `depth`, that complete a
  /// phrase from there on.
  void add_completing(size_t node, size_t begin, size_t end, size_t depth, std::vector<TokenId>& tokens) const;

  static constexpr size_t kNone = static_cast<size_t>(-1);

  std::vector<Node> nodes_ = std::vector<Node>(2);
  std::vector<std::string> texts_;                // of the tokens
  std::vector<TokenId> by_text_;                  // all tokens, in the order of their texts
  std::vector<TokenId> always_;                   // tokens that have a phrase which begins behind their first byte
  std::vector<std::vector<TokenId>> completing_;  // for each node: the tokens that complete a phrase behind it
};

}  // namespace transformer
