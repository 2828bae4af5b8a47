#include "trees/restore_tree.h"

#include <algorithm>

namespace transformer {
namespace {

/// The word or tag with its round brackets replaced, so that they are not read as brackets of the tree.
std::string escaped(const std::string& word) {
  std::string text;
  for (const char c : word) {
    if (c == '(') {
      text += "-LRB-";
    } else if (c == ')') {
      text += "-RRB-";
    } else {
      text += c;
    }
  }
  return text;
}

class Restoration {
 public:
  Restoration(const std::vector<std::string>& words, const std::vector<std::string>& tags)
      : words_(words), tags_(tags) {}

  void take(const BracketToken& token) {
    switch (token.kind) {
      case BracketToken::Kind::open:
        if (open_.size() < kMaxTreeDepth) open_.push_back({token.label, "", {}});
        break;
      case BracketToken::Kind::close: {
        const auto is_named = [&](const Tree& bracket) { return bracket.label == token.label; };
        const auto innermost = std::find_if(open_.rbegin(), open_.rend(), is_named);
        const auto inside = static_cast<size_t>(innermost - open_.rbegin());
        if (innermost != open_.rend()) close(inside + 1);
        break;
      }
      case BracketToken::Kind::word:
        if (next_ < words_.size()) add_word(open_.empty() ? root_ : open_.back());
        break;
    }
  }

  Tree finish() {
    close(open_.size());
    const bool has_bracket = !root_.children.empty() && !root_.children.back().is_word();
    Tree& outermost = has_bracket ? root_.children.back() : root_;
    while (next_ < words_.size()) add_word(outermost);
    while (root_.children.size() == 1 && root_.children[0].label == kRootLabel && !root_.children[0].is_word()) {
      Tree only = std::move(root_.children[0]);
      root_ = std::move(only);
    }
    return std::move(root_);
  }

 private:
  void add_word(Tree& bracket) {
    bracket.children.push_back(
        {tags_.empty() ? std::string(kWordToken) : escaped(tags_[next_]), escaped(words_[next_]), {}});
    ++next_;
  }

  /// Closes the `count` innermost brackets.
  void close(size_t count) {
    for (; count > 0; --count) {
      Tree bracket = std::move(open_.back());
      open_.pop_back();
      Tree& parent = open_.empty() ? root_ : open_.back();
      if (!bracket.children.empty()) parent.children.push_back(std::move(bracket));
    }
  }

  const std::vector<std::string>&words_, &tags_;
  size_t next_ = 0;  // index of the next word
  Tree root_{std::string(kRootLabel), "", {}};
  std::vector<Tree> open_;  // the outermost first
};

}  // namespace

Tree restore_tree(const std::vector<BracketToken>& tokens, const std::vector<std::string>& words,
                  const std::vector<std::string>& tags) {
  Restoration restoration(words, tags);
  for (const BracketToken& token : tokens) restoration.take(token);
  return restoration.finish();
}

}  // namespace transformer
