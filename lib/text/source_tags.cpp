#include "text/source_tags.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/parameter_error.h"
#include "base/words.h"

namespace transformer {
namespace {

/// The tags of the training corpora, and the target languages of an imported vocabulary; sorted, each once.
std::vector<std::string> tags_of_model(const Tokenizer& source, std::vector<std::string> tags) {
  std::erase(tags, "");
  for (TokenId id = 0; id < source.size(); ++id) {
    std::string_view piece = source.piece(id);
    if (piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
    if (!piece.empty() && source.language_of(piece) == piece) tags.emplace_back(piece);
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

/// Whether these pieces of a word are a single one that the vocabulary has, but for the mark of the space before it.
bool is_one_piece(const Tokenizer& source, std::vector<TokenId> pieces) {
  if (pieces.size() > 1 && source.piece(pieces.front()) == kSpaceMark) pieces.erase(pieces.begin());
  return pieces.size() == 1 && pieces.front() != source.special_tokens().unknown;
}

void check_is_tag(const std::string& tag, const Tokenizer& source, const std::vector<std::string>& tags) {
  static constexpr size_t kMaxShown = 40;
  if (tag.empty() || tag.find_first_of(kBlanks) != std::string::npos) {
    throw ParameterError("'tag' \"{}\": must be a single word, such as <2de>", shown_value(tag));
  }
  if (std::find(tags.begin(), tags.end(), tag) != tags.end() || source.language_of(tag) == tag) return;
  if (const std::vector<std::string> known = tags_of_model(source, tags); !known.empty()) {
    throw ParameterError("'tag' {}: is no tag of the model; give {}", shown_value(tag),
                         enumeration(known, "or", kMaxShown));
  }
  if (is_one_piece(source, source.encode(tag))) return;
  throw ParameterError(
      "'tag' {}: the model has no tags, and its vocabulary no piece for this word; leave it out, or, if lines of the "
      "training text began with it, write it before each line",
      shown_value(tag));
}

}  // namespace

size_t put_tag_before(std::vector<TokenId>& line, const std::vector<TokenId>& tag) {
  if (line.empty()) return 0;
  line.insert(line.begin(), tag.begin(), tag.end());
  return tag.size();
}

SourceTags::SourceTags(const Tokenizer& source, std::vector<std::string> tags, const std::optional<std::string>& chosen)
    : source_(source), tags_(std::move(tags)) {
  if (!chosen) return;
  check_is_tag(*chosen, source, tags_);
  tags_.push_back(*chosen);
  chosen_ = source.encode(*chosen);
}

size_t SourceTags::size_in(const std::string& line) const {
  const size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return 0;
  const size_t language_end = source_.language_of(line).size();
  const size_t end = language_end > 0 ? language_end : std::min(line.find_first_of(kBlanks, begin), line.size());
  const bool is_tag =
      language_end > 0 || std::find(tags_.begin(), tags_.end(), line.substr(begin, end - begin)) != tags_.end();
  return is_tag ? std::min(line.find_first_not_of(kBlanks, end), line.size()) : 0;
}

std::vector<TokenId> SourceTags::before_line(const std::string& line) const {
  return size_in(line) > 0 ? std::vector<TokenId>() : chosen_;
}

std::vector<TokenId> SourceTags::before_part_of(const std::string& line) const {
  const size_t size = size_in(line);
  return size > 0 ? source_.encode(line.substr(0, size)) : chosen_;
}

}  // namespace transformer
