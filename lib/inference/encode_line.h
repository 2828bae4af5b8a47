#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/found_lines.h"
#include "model/model_config.h"
#include "text/tokenizer.h"

namespace transformer {

/// The maximum length of a source or target.
struct LengthLimit {
  int64_t positions;   // pieces and the begin or end symbol
  std::string reason;  // what sets it, for error messages, such as "the model's learned positions end at 512"

  int64_t pieces() const { return positions - 1; }
};

/// The limit of sequences that a model processes: its number of learned positions, and at most 1,024 (Deviation D11).
LengthLimit length_limit(const ModelConfig& config);

/// What is to be said where an option is named that raises the length limit of outputs: that the learned positions of a
/// model end it; "" for a model without them.
std::string remark_on_positions(std::optional<int64_t> max_positions);

/// The pieces of a line of text, without begin and end symbols, behind those of its tag.
struct EncodedLine {
  std::string text;  // what was encoded, without the tag; its last pieces may be beyond the limit
  std::vector<TokenId> pieces = {};
  size_t tag_size = 0;       // how many of the pieces are those of the tag
  bool was_cut = false;      // whether pieces beyond the limit were left out
  bool was_invalid = false;  // whether the line was not valid UTF-8
  int64_t num_unknown = 0;   // pieces that stand for characters which the vocabulary lacks
};

/// Encodes the line after clean_line, up to the limit, behind the pieces of a tag unless it is blank.
EncodedLine encode_line(const Tokenizer& tokenizer, const std::string& line, const LengthLimit& limit,
                        const std::vector<TokenId>& tag = {});

/// The lines of a text that have unknown pieces, which stand for characters that the vocabulary lacks.
struct UnknownPieces {
  FoundLines lines;
  int64_t count = 0;  // of the pieces

  void add(int64_t line, int64_t num_unknown) {
    if (num_unknown > 0) lines.add(line);
    count += num_unknown;
  }
};
/// Logs a warning if the text that messages call `text` has unknown pieces.
void warn_of_unknown_pieces(const std::string& text, const UnknownPieces& unknown);

/// Encodes a line that must not be cut. Throws Error, which begins with `place`, such as "test.de:7", if the line
/// is longer than the limit.
EncodedLine encode_whole_line(const Tokenizer& tokenizer, const std::string& line, const LengthLimit& limit,
                              const std::string& place, const std::vector<TokenId>& tag = {});

/// Throws Error, which begins with `place` and names the characters, if one of the pieces of a forced prefix is
/// unknown, so that no translation can begin with them.
void check_is_known_prefix(const Tokenizer& tokenizer, const std::string& prefix, const std::vector<TokenId>& pieces,
                           const std::string& place);

/// Encodes the lines of a file, none of which may be cut.
class WholeLineEncoder {
 public:
  /// `file` is for messages. The tokenizer must outlive this object.
  WholeLineEncoder(const Tokenizer& tokenizer, LengthLimit limit, std::string file)
      : tokenizer_(tokenizer), limit_(std::move(limit)), file_(std::move(file)) {}

  /// The pieces of the line of this number. Throws Error, which names file and line, if it is longer than the limit.
  std::vector<TokenId> encode(const std::string& line, int64_t number);

  /// The lines so far that were not valid UTF-8.
  const FoundLines& invalid_lines() const { return invalid_lines_; }

 private:
  const Tokenizer& tokenizer_;
  LengthLimit limit_;
  std::string file_;
  FoundLines invalid_lines_;
};

}  // namespace transformer
