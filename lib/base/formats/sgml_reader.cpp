#include <algorithm>
#include <cctype>

#include "base/format.h"
#include "base/formats/character_entities.h"
#include "base/formats/segments.h"

namespace transformer {
namespace {

/// Reads the segments of a WMT test set in SGML, which need not be well-formed XML.
class SgmlReader : public SegmentReader {
 public:
  void add(std::string_view bytes) override {
    text_ += bytes;
    while (take_segment()) {
    }
    if (text_.size() > kMaxSegmentBytes) {
      throw FormatError(line_, "has a segment of more than {} bytes; divide it", with_thousands(kMaxSegmentBytes));
    }
  }
  void finish() override {
    if (find("<seg", 0) == std::string::npos) return;
    throw FormatError(line_, "has a segment without an end; add </seg>, or download the file again");
  }

 private:
  /// The position of a tag, in letters of any case.
  size_t find(std::string_view tag, size_t from) const {
    const auto same = [](char one, char other) { return std::tolower(static_cast<unsigned char>(one)) == other; };
    const auto found =
        std::search(text_.begin() + static_cast<ptrdiff_t>(from), text_.end(), tag.begin(), tag.end(), same);
    return found == text_.end() ? std::string::npos : static_cast<size_t>(found - text_.begin());
  }

  bool take_segment() {
    static constexpr std::string_view kBegin = "<seg", kEnd = "</seg>";
    const size_t begin = find(kBegin, 0);
    if (begin == std::string::npos) {  // keeps what may be the beginning of a tag
      drop(text_.size() - std::min(text_.size(), kBegin.size() - 1));
      return false;
    }
    drop(begin);
    const size_t open = text_.find('>');
    if (open == std::string::npos) return false;
    const size_t end = find(kEnd, open);
    if (end == std::string::npos) return false;
    add_segment(without_entities(std::string_view(text_).substr(open + 1, end - open - 1)));
    drop(end + kEnd.size());
    return true;
  }

  void drop(size_t count) {
    line_ += std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(count), '\n');
    text_.erase(0, count);
  }

  std::string text_;
  int64_t line_ = 1;  // at which text_ begins
};

}  // namespace

std::unique_ptr<SegmentReader> make_sgml_reader() { return std::make_unique<SgmlReader>(); }

}  // namespace transformer
