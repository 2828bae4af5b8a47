#include <expat.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <optional>
#include <vector>

#include "base/format.h"
#include "base/formats/segments.h"

namespace transformer {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// A language code in one form: "en-us" for "en_US".
std::string language_form(std::string_view code) {
  std::string form = lower_case(code);
  std::replace(form.begin(), form.end(), '_', '-');
  return form;
}

/// What a unit has: text in a language, or of a side of a test set, such as "ref".
struct Version {
  std::string language, side, text;
};

bool is_in(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Reads the units of TMX 1.1 to 1.4, XLIFF 1.2 and 2, and test sets of WMT in XML.
class XmlReader : public SegmentReader {
 public:
  XmlReader(const std::string& part, std::string file)
      : part_(language_form(part)), file_(std::move(file)), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &call<&XmlReader::begin_element, const char**>,
                          [](void* self, const char* name) { call<&XmlReader::end_element>(self, name); });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* text, int size) {
      static_cast<XmlReader*>(self)->add_text({text, static_cast<size_t>(size)});
    });
    XML_SetEntityDeclHandler(parser_.get(), on_entity);
    XML_SetSkippedEntityHandler(parser_.get(), [](void* self, const char* name, int) {
      static_cast<XmlReader*>(self)->guard([&] {
        throw FormatError(static_cast<XmlReader*>(self)->line(),
                          "the entity &{}; is not defined in this file; write the character instead", name);
      });
    });
  }

  void add(std::string_view bytes) override { parse(bytes, /*is_last=*/false); }
  void finish() override {
    parse("", /*is_last=*/true);
    if (part_.empty() || has_part_) return;
    throw FormatError(1, "it has no text in '{}', only {}; name one of them, as in {}#{}", part_,
                      fmt::join(names_, ", "), file_, names_.empty() ? "en" : names_.front());
  }

 private:
  template <auto kFunction, class... Args>
  static void call(void* self, const char* name, Args... args) {
    auto* reader = static_cast<XmlReader*>(self);
    reader->guard([&] { (reader->*kFunction)(local_name(name), args...); });
  }

  /// Exceptions must not pass through the parser, which is written in C.
  template <class Function>
  void guard(const Function& function) {
    if (failure_) return;
    try {
      function();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  /// Only entities that stand for a character are expanded, so that no file grows when it is read.
  static void on_entity(void* self, const char* name, int is_parameter, const char* value, int size, const char*,
                        const char*, const char*, const char*) {
    auto* reader = static_cast<XmlReader*>(self);
    reader->guard([&] {
      static constexpr int kMaxBytes = 4;
      const bool is_character = is_parameter == 0 && value != nullptr && size <= kMaxBytes &&
                                std::string_view(value, static_cast<size_t>(size)).find('&') == std::string_view::npos;
      if (is_character) return;
      throw FormatError(reader->line(),
                        "the entity '{}' that it declares is not a single character; write its text instead of it",
                        name);
    });
  }

  static std::string local_name(std::string_view name) { return lower_case(name.substr(name.rfind(':') + 1)); }

  int64_t line() const { return static_cast<int64_t>(XML_GetCurrentLineNumber(parser_.get())); }

  void parse(std::string_view bytes, bool is_last) {
    static constexpr size_t kMaxBytes = size_t{1} << 30;  // the parser counts in int
    do {
      const std::string_view now = bytes.substr(0, kMaxBytes);
      bytes.remove_prefix(now.size());
      const auto status = XML_Parse(parser_.get(), now.data(), static_cast<int>(now.size()), is_last ? 1 : 0);
      if (failure_) std::rethrow_exception(failure_);
      if (status == XML_STATUS_OK) continue;
      throw FormatError(line(), "its XML is broken: {}; repair the file, or make it again",
                        XML_ErrorString(XML_GetErrorCode(parser_.get())));
    } while (!bytes.empty());
  }

  void begin_element(const std::string& name, const char** attributes) {
    const auto attribute = [&](std::initializer_list<std::string_view> names) -> std::string {
      for (const std::string_view wanted : names) {
        for (const char** pair = attributes; *pair != nullptr; pair += 2) {
          if (lower_case(pair[0]) == wanted) return pair[1];
        }
      }
      return "";
    };
    if (open_.empty()) check_root(name);
    const std::string parent = open_.empty() ? "" : open_.back();
    open_.push_back(name);
    if (collected_) {
      // The codes of another program; other elements have text in them.
      if (is_in(name, {"bpt", "ept", "it", "ph", "ut"}) || num_skipped_ > 0) ++num_skipped_;
      return;
    }
    if (is_in(name, {"tu", "trans-unit", "segment", "doc"})) unit_.clear();
    if (name == "tuv") language_ = attribute({"xml:lang", "lang"});
    if (name == "file" || name == "xliff") {
      set_if_given(source_language_, attribute({"source-language", "srclang"}));
      set_if_given(target_language_, attribute({"target-language", "trglang"}));
    }
    if (is_in(name, {"src", "ref", "hyp"})) {
      language_ = attribute({"lang"});
      side_ = name;
      const std::string by = attribute({"translator", "system"});
      if (!by.empty()) side_ += ":" + language_form(by);
    }
    const bool is_side = is_in(name, {"source", "target"}) && is_in(parent, {"trans-unit", "segment"});
    if (is_side) {
      side_ = name;
      language_ = name == "source" ? source_language_ : target_language_;
    }
    if (!is_side && name != "seg") return;
    segment_ = attribute({"id"});
    collected_.emplace();
    segment_depth_ = open_.size();
    segment_line_ = line();
  }

  static void set_if_given(std::string& language, const std::string& given) {
    if (!given.empty()) language = given;
  }

  void end_element(const std::string& name) {
    if (collected_ && open_.size() == segment_depth_) {
      if (is_test_set_) {
        side_segments_.push_back({language_, side_, segment_, *collected_});
      } else if (is_plain_set_) {
        add_segment(*collected_);
      } else {
        unit_.push_back({language_, side_, *collected_});
      }
      collected_.reset();
    } else if (collected_ && num_skipped_ > 0) {
      --num_skipped_;
    }
    open_.pop_back();
    if (is_in(name, {"tu", "trans-unit", "segment"}) && !is_test_set_) add_unit(unit_);
    if (name == "doc" && is_test_set_) add_document();
  }

  void add_text(std::string_view text) {
    if (!collected_ || num_skipped_ > 0 || failure_) return;
    guard([&] {
      if (collected_->size() + text.size() > kMaxSegmentBytes) {
        throw FormatError(segment_line_, "has a segment of more than {} bytes; divide it",
                          with_thousands(kMaxSegmentBytes));
      }
      *collected_ += text;
    });
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
      add_unit(unit);
    }
    side_segments_.clear();
  }

  void add_unit(const std::vector<Version>& unit) {
    for (const Version& version : unit) {
      for (const std::string& name : {version.side, version.language}) {
        const auto is_same = [&](const std::string& other) { return language_form(other) == language_form(name); };
        const bool is_known = std::any_of(names_.begin(), names_.end(), is_same);
        if (!name.empty() && !is_known && names_.size() < kMaxNames) names_.push_back(name);
      }
    }
    const Version* chosen = nullptr;
    int best = 0;
    for (const Version& version : unit) {
      const int fit = part_.empty() ? 1 : fit_of(version);
      if (fit > best) {
        best = fit;
        chosen = &version;
      }
    }
    if (part_.empty()) check_has_one_language(unit);
    has_part_ = has_part_ || chosen != nullptr;
    add_segment(chosen == nullptr ? "" : chosen->text);
  }

  /// How well a version is the part that was asked for: exactly, or "en-US" for "en"; 0: not at all.
  int fit_of(const Version& version) const {
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

  static constexpr size_t kMaxNames = 40;
  struct SideSegment {
    std::string language, side, id, text;
  };

  const std::string part_, file_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::exception_ptr failure_;
  bool is_test_set_ = false, is_plain_set_ = false;
  std::vector<std::string> open_;  // the elements around the current position
  std::string language_, side_, segment_, source_language_, target_language_;
  std::optional<std::string> collected_;  // the text of the segment around the current position
  size_t segment_depth_ = 0;
  int64_t segment_line_ = 0;
  int num_skipped_ = 0;  // how many elements with codes are around the current position
  std::vector<Version> unit_;
  std::vector<SideSegment> side_segments_;
  std::vector<std::string> names_;   // of languages and sides, for messages
  std::optional<std::string> only_;  // the language of all units, if no part was named
  bool has_part_ = false;
};

}  // namespace

std::unique_ptr<SegmentReader> make_xml_reader(const std::string& part, const std::string& file) {
  return std::make_unique<XmlReader>(part, file);
}

}  // namespace transformer
