#include <fmt/ranges.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/segments.h"
#include "base/formats/xml_parser.h"
#include "base/utf8.h"
#include "base/words.h"

namespace transformer {
namespace {

/// What a unit has: text in a language, or of a side of a test set, such as "ref".
struct Version {
  std::string language, side, text;
};

/// What is at the end of the part in a path that keeps the inline tags, as in "memory.tmx#en+tags".
constexpr std::string_view kWithTags = "+tags";

/// Whether an inline element of TMX or XLIFF contains a code of another program, such as "<b>".
bool is_code(std::string_view name) { return is_in(name, {"bpt", "ept", "it", "ph", "ut"}); }
/// Whether an inline element of TMX or XLIFF contains text of the segment.
bool is_around_text(std::string_view name) { return is_in(name, {"g", "hi", "pc"}); }

/// Whether the character is of a word that its neighbors may belong to.
bool joins_words(char32_t character) {
  const auto code = static_cast<UChar32>(character);
  return u_isalnum(code) != 0 && u_hasBinaryProperty(code, UCHAR_IDEOGRAPHIC) == 0;
}

/// Whether the texts would make one word of two if nothing were between them.
bool would_join_words(std::string_view text, std::string_view next) {
  static constexpr size_t kMaxBytes = 4;  // of a character
  const std::u32string before = decode_utf8(text.substr(text.size() - std::min(text.size(), kMaxBytes))),
                       behind = decode_utf8(next.substr(0, kMaxBytes));
  return !before.empty() && !behind.empty() && joins_words(before.back()) && joins_words(behind.front());
}

/// Reads the units of TMX 1.1 to 1.4, XLIFF 1.2 and 2, and test sets of WMT in XML.
class XmlReader : public SegmentReader, private XmlParser {
 public:
  XmlReader(const std::string& part, std::string file)
      : part_(language_form(without_tags_mark(part))), file_(std::move(file)), keeps_tags_(part.ends_with(kWithTags)) {}

  void add(std::string_view bytes) override { parse(bytes, /*is_last=*/false); }

 private:
  void end_file() override {
    parse("", /*is_last=*/true);
    if (part_.empty() || has_part_ || !has_segments()) return;
    if (names_.empty()) {
      throw FormatError(1, "it has no text with a language; give a file in which each text has one, or is a segment");
    }
    throw FormatError(1, "it has no text in '{}', only {}; name one of them, as in {}#{}", part_,
                      fmt::join(names_, ", "), file_, names_.front());
  }

  void begin_element(const std::string& name, const XmlAttributes& attributes) override {
    if (open_.empty()) check_root(name);
    const std::string parent = open_.empty() ? "" : open_.back();
    open_.push_back(name);
    if (collected_) return begin_inline(name, attributes);
    if (name == "doc") document_ = attributes.first_of({"docid", "id"});
    if (is_in(name, {"tu", "trans-unit", "segment", "doc"})) unit_.clear();
    if (name == "tuv") language_ = attributes.first_of({"xml:lang", "lang"});
    if (name == "file" || name == "xliff") {
      set_if_given(source_language_, attributes.first_of({"source-language", "srclang"}));
      set_if_given(target_language_, attributes.first_of({"target-language", "trglang"}));
    }
    if (is_in(name, {"src", "ref", "hyp"})) {
      language_ = attributes.first_of({"lang"});
      side_ = name;
      const std::string by = attributes.first_of({"translator", "system"});
      if (!by.empty()) side_ += ":" + language_form(by);
    }
    const bool is_side = is_in(name, {"source", "target"}) && is_in(parent, {"trans-unit", "segment"});
    if (is_side) {
      side_ = name;
      language_ = name == "source" ? source_language_ : target_language_;
    }
    if (!is_side && name != "seg") return;
    segment_ = attributes.first_of({"id"});
    collected_.emplace();
    is_behind_placeholder_ = false;
    segment_depth_ = open_.size();
    segment_line_ = line();
  }

  static void set_if_given(std::string& language, const std::string& given) {
    if (!given.empty()) language = given;
  }

  void end_element(const std::string& name) override {
    if (collected_ && open_.size() == segment_depth_) {
      if (is_test_set_) {
        side_segments_.push_back({language_, side_, segment_, *collected_});
      } else if (is_plain_set_) {
        add_segment(*collected_, segment_name(document_, segment_));
      } else {
        unit_.push_back({language_, side_, *collected_});
      }
      collected_.reset();
    } else if (collected_) {
      end_inline(name);
    }
    open_.pop_back();
    if (is_in(name, {"tu", "trans-unit", "segment"}) && !is_test_set_) add_unit(unit_, "");
    if (name == "doc" && is_test_set_) add_document();
  }

  void begin_inline(const std::string& name, const XmlAttributes& attributes) {
    if (keeps_tags_) {
      tag_ = '<' + name + attributes.text();
      if (is_around_text(name)) *collected_ += tag_ + '>';
      begin_of_tag_ = collected_->size();
    } else if (is_code(name) || num_skipped_ > 0) {
      ++num_skipped_;
    }
    is_behind_placeholder_ = is_behind_placeholder_ || is_in(name, {"it", "ph", "ut", "x"});
  }

  void end_inline(const std::string& name) {
    if (num_skipped_ > 0) --num_skipped_;
    if (!keeps_tags_ || is_in(name, {"mrk", "sub"})) return;
    if (is_around_text(name)) {
      *collected_ += "</" + name + '>';
    } else if (collected_->size() == begin_of_tag_) {  // without a code
      *collected_ += tag_ + "/>";
    }
  }

  void add_text(std::string_view text) override {
    if (!collected_) return check_is_no_segment(text);
    if (num_skipped_ > 0) return;
    if (collected_->size() + text.size() > kMaxSegmentBytes) {
      throw FormatError(segment_line_, "has a segment of more than {} bytes; divide it",
                        with_thousands(kMaxSegmentBytes));
    }
    const bool is_placeholder_between = std::exchange(is_behind_placeholder_, false) && !keeps_tags_;
    if (is_placeholder_between && would_join_words(*collected_, text)) *collected_ += ' ';
    *collected_ += text;
  }

  /// Throws FormatError if the text stands where only segments do, and not in an element of another kind, such as the
  /// title of a talk or a note.
  void check_is_no_segment(std::string_view text) const {
    static constexpr auto kHoldSegments = [](const std::string& name) {
      return is_in(name, {"tmx",     "body",       "tu",      "tuv",    "xliff",  "file",   "group",
                          "unit",    "trans-unit", "segment", "mteval", "srcset", "refset", "tstset",
                          "dataset", "collection", "doc",     "src",    "ref",    "hyp",    "p"});
    };
    if (is_blank(text) || !std::all_of(open_.begin(), open_.end(), kHoldSegments) || !has_letters(text)) return;
    throw FormatError(line(), "has text outside of its segments, in <{}>; move it into a segment, or remove it",
                      open_.back());
  }

  void check_root(const std::string& name) {
    is_test_set_ = name == "dataset";
    is_plain_set_ = is_in(name, {"mteval", "srcset", "refset", "tstset"});
    if (is_test_set_ || is_plain_set_ || is_in(name, {"tmx", "xliff"})) return;
    throw FormatError(line(),
                      "it is XML; write its segments into a text file, one sentence in each line (of XML, TMX, XLIFF "
                      "and WMT's test sets are read, and this is <{}>)",
                      name);
  }

  /// A test set has all source segments of a document before those of each translation.
  void add_document() {
    std::vector<std::string> ids;
    for (const auto& segment : side_segments_) {
      if (segment.side == "src") ids.push_back(segment.id);
    }
    if (ids.empty()) {
      for (const auto& segment : side_segments_) {
        if (std::find(ids.begin(), ids.end(), segment.id) == ids.end()) ids.push_back(segment.id);
      }
    }
    for (const std::string& id : ids) {
      std::vector<Version> unit;
      for (const auto& segment : side_segments_) {
        if (segment.id == id) unit.push_back({segment.language, segment.side, segment.text});
      }
      add_unit(unit, segment_name(document_, id));
    }
    side_segments_.clear();
  }

  /// `segment`: what messages call the unit of a test set.
  void add_unit(const std::vector<Version>& unit, const std::string& segment) {
    note_names(unit);
    const Version* chosen = nullptr;
    int best = 0;
    for (const Version& version : unit) {
      const int fit = fit_of(version);
      if (fit > best) {
        best = fit;
        chosen = &version;
      }
    }
    if (part_.empty()) check_has_one_language(unit);
    check_has_one_side(unit, best);
    has_part_ = has_part_ || chosen != nullptr;
    add_segment(chosen == nullptr ? "" : chosen->text, segment);
  }

  void note_names(const std::vector<Version>& unit) {
    for (const Version& version : unit) {
      for (const std::string& name : {version.side, version.language}) {
        const auto is_same = [&](const std::string& other) { return language_form(other) == language_form(name); };
        const bool is_known = std::any_of(names_.begin(), names_.end(), is_same);
        if (!name.empty() && !is_known && names_.size() < kMaxNames) names_.push_back(name);
      }
    }
  }

  /// How well a version is the part that was asked for: exactly, or "en-US" for "en"; 0: not at all.
  int fit_of(const Version& version) const {
    if (part_.empty()) return 1;
    const std::string language = language_form(version.language);
    if (version.side == part_ || language == part_) return 2;
    return language.starts_with(part_ + '-') || version.side.starts_with(part_ + ':') ? 1 : 0;
  }

  void check_has_one_language(const std::vector<Version>& unit) {
    for (const Version& version : unit) {
      const std::string name = version.language.empty() ? version.side : version.language;
      if (!only_) only_ = name;
      if (language_form(*only_) == language_form(name)) continue;
      throw FormatError(line(), "it has text in several languages ({}); name the one to read, as in {}#{}",
                        fmt::join(names_, ", "), file_, *only_);
    }
  }

  /// Throws FormatError if several versions of the unit, such as those of two translators, fit equally well.
  void check_has_one_side(const std::vector<Version>& unit, int fit) const {
    std::vector<std::string> sides;
    for (const Version& version : unit) {
      const bool is_known = std::find(sides.begin(), sides.end(), version.side) != sides.end();
      if (fit > 0 && fit_of(version) == fit && !is_known) sides.push_back(version.side);
    }
    if (sides.size() < 2) return;
    throw FormatError(line(), "it has several texts{} ({}); name the one to read, as in {}#{}",
                      part_.empty() ? "" : fmt::format(" in '{}'", part_), fmt::join(sides, ", "), file_,
                      sides.front());
  }

  static constexpr size_t kMaxNames = 40;
  struct SideSegment {
    std::string language, side, id, text;
  };

  const std::string part_, file_;
  const bool keeps_tags_;  // inline ones
  bool is_test_set_ = false, is_plain_set_ = false;
  std::vector<std::string> open_;  // the elements around the current position
  std::string language_, side_, document_, segment_, source_language_, target_language_;
  std::optional<std::string> collected_;  // the text of the segment around the current position
  size_t segment_depth_ = 0;
  int64_t segment_line_ = 0;
  int num_skipped_ = 0;                 // how many elements with codes are around the current position
  bool is_behind_placeholder_ = false;  // and no text has followed it
  std::string tag_;                     // the beginning of the inline tag before, if tags are kept,
  size_t begin_of_tag_ = 0;             // and where it stands in the segment
  std::vector<Version> unit_;
  std::vector<SideSegment> side_segments_;
  std::vector<std::string> names_;   // of languages and sides, for messages
  std::optional<std::string> only_;  // the language of all units, if no part was named
  bool has_part_ = false;
};

}  // namespace

std::string without_tags_mark(const std::string& part) {
  return part.ends_with(kWithTags) ? part.substr(0, part.size() - kWithTags.size()) : part;
}

std::unique_ptr<SegmentReader> make_xml_reader(const std::string& part, const std::string& file) {
  return std::make_unique<XmlReader>(part, file);
}

}  // namespace transformer
