#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "text/special_tokens.h"
#include "text/tokenizer.h"

namespace transformer {

/// Puts the pieces of a tag before those of a source line, unless the line is blank, as training (data.train.tag) and
/// inference do. Returns the number of pieces that it puts there.
size_t put_tag_before(std::vector<TokenId>& line, const std::vector<TokenId>& tag);

/// The tags with which source lines of a model may begin, and by which it may choose what it writes, such as the
/// language: those of its training corpora (data.train.tag), and the target languages of an imported vocabulary, such
/// as ">>fra<<". One of them may be chosen for all lines of a text that begin with none.
class SourceTags {
 public:
  /// `tags` are those of the training corpora, "" for one that has none. The tokenizer must outlive this object. Throws
  /// ParameterError if the chosen tag is none of the model's. If the model has none, it may be any word that is one
  /// piece of the vocabulary, such as a tag that stood in the training text.
  SourceTags(const Tokenizer& source, std::vector<std::string> tags, const std::optional<std::string>& chosen = {});

  /// The size of the tag with which the line begins, with the blanks around it; 0 if it begins with none.
  size_t size_in(const std::string& line) const;
  /// The pieces to put before the line: those of the chosen tag; none if the line begins with a tag.
  std::vector<TokenId> before_line(const std::string& line) const;
  /// The pieces to put before a part of what follows the line's tag: those of this tag, or else of the chosen one.
  std::vector<TokenId> before_part_of(const std::string& line) const;

 private:
  const Tokenizer& source_;
  std::vector<std::string> tags_;  // and the chosen one
  std::vector<TokenId> chosen_;    // its pieces
};

}  // namespace transformer
