#include "inference/encode_line.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "text/clean_line.h"
#include "text/source_tags.h"

namespace transformer {
namespace {

/// Sinusoidal positions are unlimited, memory and time are not.
constexpr int64_t kMaxPositions = 1024;

/// Bytes of text that are kept for each position: a piece has 16 characters at most, if SentencePiece has its default,
/// of 4 bytes each. A line with longer pieces may be cut earlier.
constexpr size_t kMaxPieceBytes = 64;

/// The first `limit` bytes of valid UTF-8 text, or fewer so as not to split a character.
std::string first_bytes(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

size_t max_bytes(const LengthLimit& limit) { return static_cast<size_t>(limit.positions) * kMaxPieceBytes; }

}  // namespace

LengthLimit length_limit(const ModelConfig& config) {
  const int64_t learned = config.max_positions.value_or(kMaxPositions);
  if (learned < kMaxPositions) return {learned, fmt::format("the model's learned positions end at {}", learned)};
  return {kMaxPositions, fmt::format("sequences end at {} positions", with_thousands(kMaxPositions))};
}

std::string remark_on_positions(std::optional<int64_t> max_positions) {
  return max_positions ? fmt::format(" up to the model's {}", counted(*max_positions, "learned position")) : "";
}

EncodedLine encode_line(const Tokenizer& tokenizer, const std::string& line, const LengthLimit& limit,
                        const std::vector<TokenId>& tag) {
  const auto [text, was_invalid] = clean_line(line);
  // Tokenizing a line of many megabytes would take much more time and memory than translating its beginning.
  EncodedLine encoded{.text = first_bytes(text, max_bytes(limit)), .was_invalid = was_invalid};
  encoded.pieces = tokenizer.encode(encoded.text);
  encoded.tag_size = std::min(put_tag_before(encoded.pieces, tag), static_cast<size_t>(limit.pieces()));
  encoded.was_cut = encoded.text.size() < text.size() || std::ssize(encoded.pieces) > limit.pieces();
  if (std::ssize(encoded.pieces) > limit.pieces()) encoded.pieces.resize(static_cast<size_t>(limit.pieces()));
  encoded.num_unknown = std::count(encoded.pieces.begin(), encoded.pieces.end(), tokenizer.special_tokens().unknown);
  return encoded;
}

void warn_of_unknown_pieces(const std::string& text, const UnknownPieces& unknown) {
  if (unknown.count == 0) return;
  log_warning("{}:{}: has characters that the vocabulary lacks, {} ({}); the model cannot tell them apart", text,
              unknown.lines.first, first_of_such_lines(unknown.lines.count), counted(unknown.count, "unknown piece"));
}

EncodedLine encode_whole_line(const Tokenizer& tokenizer, const std::string& line, const LengthLimit& limit,
                              const std::string& place, const std::vector<TokenId>& tag) {
  EncodedLine encoded = encode_line(tokenizer, line, limit, tag);
  if (encoded.was_cut) {
    throw Error(
        "{}: has more than {} pieces or {} bytes, but {}, one of which is for the begin or end symbol; shorten the "
        "line",
        place, with_thousands(limit.pieces()), with_thousands(static_cast<int64_t>(max_bytes(limit))), limit.reason);
  }
  return encoded;
}

void check_is_known_prefix(const Tokenizer& tokenizer, const std::string& prefix, const std::vector<TokenId>& pieces,
                           const std::string& place) {
  const auto unknown = std::find(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown);
  if (unknown == pieces.end()) return;
  std::string characters =
      tokenizer.encode_as_pieces(clean_line(prefix).text).at(static_cast<size_t>(unknown - pieces.begin()));
  if (characters.starts_with(kSpaceMark)) characters.erase(0, kSpaceMark.size());
  throw Error("{}: has '{}', which the model's vocabulary lacks, so no translation can begin with it; leave it out",
              place, shown_value(characters));
}

std::vector<TokenId> WholeLineEncoder::encode(const std::string& line, int64_t number) {
  EncodedLine encoded = encode_whole_line(tokenizer_, line, limit_, fmt::format("{}:{}", shown_path(file_), number));
  if (encoded.was_invalid) invalid_lines_.add(number);
  return std::move(encoded.pieces);
}

}  // namespace transformer
