#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/formats/segments.h"
#include "base/formats/xml_parser.h"
#include "base/parameter_error.h"
#include "base/words.h"
#include "documents/formats.h"
#include "documents/markup_tag.h"
#include "documents/segment_lines.h"

namespace transformer {
namespace {

/// Where an element of the document is.
struct Element {
  size_t begin = 0, begin_of_content = 0, end = 0;
  std::string tag;  // its start tag
};

/// "<seg>" for "<seg/>".
std::string opened(std::string tag) {
  if (tag.ends_with("/>")) tag.replace(tag.size() - 2, 2, ">");
  return tag;
}

/// "</seg>" for "<seg id='1'>".
std::string end_tag(const std::string& tag) { return "</" + tag.substr(1, tag.find_first_of(" \t\r\n/>") - 1) + ">"; }

/// The name with the tag's prefix, as in "x:target" for "<x:source>".
std::string with_prefix_of(const std::string& tag, const std::string& name) {
  const std::string old = tag.substr(1, tag.find_first_of(" \t\r\n/>") - 1);
  const size_t colon = old.find(':');
  return colon == std::string::npos ? name : old.substr(0, colon + 1) + name;
}

using Contents = std::vector<SegmentBuilder::Content>;

/// Contents that begin and end with other bytes.
Contents between(const std::string& before, Contents contents, const std::string& after) {
  contents.front().before.insert(0, before);
  contents.back().after += after;
  return contents;
}

/// Whether a tag of TMX or XLIFF stands for a line break.
bool is_line_break(const XmlAttributes& attributes) {
  return is_in(attributes.first_of({"ctype", "type"}), {"lb", "x-lb"}) || attributes.first_of({"subType"}) == "xlf:lb";
}

/// Reads an XML document and collects the content of segments.
class XmlDocument : public XmlParser {
 public:
  XmlDocument(std::string bytes, DocumentTask task)
      : XmlParser("UTF-8"), builder_(std::move(bytes)), task_(std::move(task)) {
    check_language(task_.into);
  }

  Document read() {
    parse(builder_.bytes(), /*is_last=*/true);
    finish();
    return builder_.finish(escape_xml, std::move(document_));
  }

 protected:
  virtual void finish() {}

  /// Calls these with the tags of the document; not inside of a segment.
  virtual void begin(const std::string& name, const XmlAttributes& attributes) = 0;
  virtual void end_of(const std::string& name, const Element& element) = 0;

  /// From `begin`: the element that begins is a segment, or consists of some, whose contents are collected. Where
  /// blanks are not kept (xml:space), `breaks` divide a text.
  void collect(DividingBreaks breaks) {
    depth_of_segment_ = open_.size();
    contents_.clear();
    breaks_ = open_.back().keeps_line_breaks && breaks != DividingBreaks::none ? DividingBreaks::all : breaks;
    segment_.emplace(line(), breaks_);
    begin_of_copied_ = end_of_tag();
  }
  /// From `end_of`: the contents of the element for which `collect` was called.
  const Contents& contents() const { return contents_; }

  const std::string& parent() const { return open_.size() < 2 ? kNone : open_[open_.size() - 2].name; }
  /// The tag that is being parsed.
  std::string tag() const { return std::string(builder_.bytes(XmlParser::begin(), XmlParser::end())); }
  /// The blanks before this position.
  std::string blanks_before(size_t position) const {
    const std::string_view before = builder_.bytes(0, position);
    const size_t blanks = before.find_last_not_of(" \t\r\n") + 1;
    return std::string(before.substr(blanks));
  }

  DocumentBuilder builder_;
  const DocumentTask task_;
  Document document_;

 private:
  struct Open {
    std::string name;
    Element element;
    bool keeps_line_breaks;
    bool is_part = false;  // of a segmented source
  };
  inline static const std::string kNone;

  void begin_element(const std::string& name, const XmlAttributes& attributes) override {
    const std::string space = attributes.first_of({"xml:space"});
    const bool keeps = space.empty() ? !open_.empty() && open_.back().keeps_line_breaks : space == "preserve";
    open_.push_back(
        {name, {begin_of_tag(), end_of_tag(), 0, std::string(builder_.bytes(begin_of_tag(), end_of_tag()))}, keeps});
    if (!segment_) return begin(name, attributes);
    if (depth_of_code_ > 0) return;
    const bool is_code = is_in(name, {"bpt", "ept", "it", "ph", "ut"}) ||
                         (name == "mrk" && (attributes.first_of({"mtype"}) == "protected" ||
                                            attributes.first_of({"translate"}) == "no"));
    if (is_code) {
      depth_of_code_ = open_.size();
      is_line_break_ = is_line_break(attributes);
      return;
    }
    const bool is_part = name == "mrk" && attributes.first_of({"mtype"}) == "seg" && begin_of_copied_ &&
                         open_[depth_of_segment_ - 1].name == "seg-source";
    const std::string& tag = open_.back().element.tag;
    if (!is_part && is_line_break(attributes)) return segment_->add_line_break(tag);
    if (!is_part) return segment_->add_markup(tag);
    open_.back().is_part = true;
    copy_until(end_of_tag());
    segment_.emplace(line(), breaks_);
  }

  void end_element(const std::string& name) override {
    Open& closed = open_.back();
    closed.element.end = end_of_tag();
    if (segment_ && open_.size() == depth_of_segment_) {
      if (contents_.empty()) {
        contents_ = segment_->finish();
      } else {
        copy_until(begin_of_tag());
      }
      segment_.reset();
    }
    if (segment_) {
      if (depth_of_code_ == open_.size()) {
        const std::string_view code = builder_.bytes(closed.element.begin, closed.element.end);
        is_line_break_ ? segment_->add_line_break(code) : segment_->add_markup(code);
        depth_of_code_ = 0;
      } else if (depth_of_code_ == 0 && closed.is_part) {
        for (SegmentBuilder::Content& content : segment_->finish()) contents_.push_back(std::move(content));
        begin_of_copied_ = begin_of_tag();
      } else if (depth_of_code_ == 0) {
        segment_->add_markup(builder_.bytes(begin_of_tag(), end_of_tag()));
      }
    } else {
      end_of(name, closed.element);
    }
    open_.pop_back();
  }

  /// Adds what is between the parts of a segmented source, which stays.
  void copy_until(size_t end) {
    contents_.push_back({std::string(builder_.bytes(*begin_of_copied_, end)), {}, ""});
    begin_of_copied_.reset();
  }

  void add_text(std::string_view text) override {
    if (segment_ && depth_of_code_ == 0) segment_->add_text(text);
  }

  size_t begin_of_tag() const { return XmlParser::begin(); }
  size_t end_of_tag() const { return XmlParser::end(); }

  std::vector<Open> open_;  // the elements around the current position
  std::optional<SegmentLines> segment_;
  DividingBreaks breaks_ = DividingBreaks::none;
  bool is_line_break_ = false;  // the code
  Contents contents_;
  size_t depth_of_segment_ = 0, depth_of_code_ = 0;
  std::optional<size_t> begin_of_copied_;  // outside of the parts of a segmented source
};

bool has_text(const Contents& contents) {
  return std::any_of(contents.begin(), contents.end(), [](const auto& content) { return content.segment.has_value(); });
}

/// XLIFF 1.2 and 2.
class XliffDocument : public XmlDocument {
 public:
  using XmlDocument::XmlDocument;

 private:
  struct Side {
    Element element;
    std::string indentation;
    Contents contents;
  };

  void begin(const std::string& name, const XmlAttributes& attributes) override {
    const std::string translate = attributes.first_of({"translate"});
    translated_.push_back(translate.empty() ? translated_.empty() || translated_.back() : translate != "no");
    // The header of a gettext file, which translate-toolkit's po2xliff makes a unit.
    if (attributes.first_of({"restype"}) == "x-gettext-domain-header") translated_.back() = false;
    if (name == "xliff") is_2_ = attributes.first_of({"version"}).starts_with('2');
    if (name == (is_2_ ? "xliff" : "file")) {
      set_languages(attributes.first_of({"source-language", "srclang"}),
                    attributes.first_of({"target-language", "trglang"}));
    }
    if (is_in(name, {"trans-unit", "segment"})) {
      source_.reset();
      target_.reset();
      unit_ = tag();
      state_ = attributes.first_of({"state"});
      is_approved_ = attributes.first_of({"approved"}) == "yes";
      unit_begin_ = XmlParser::begin();
      is_locked_ = has_lock(attributes);
      num_locks_ = num_locked_ = 0;
    }
    // Trados Studio locks the parts of a unit.
    if (name == "seg" && parent() == "seg-defs") {
      ++num_locks_;
      if (has_lock(attributes)) ++num_locked_;
    }
    const bool is_in_unit = is_in(parent(), {"trans-unit", "segment"});
    if (is_in_unit && is_in(name, {"source", "seg-source"})) collect(DividingBreaks::unindented);
    if (is_in_unit && name == "target") {
      if (!is_2_) state_ = attributes.first_of({"state"});
      collect(DividingBreaks::unindented);
    }
  }

  /// Whether a translator has locked the unit: "locked" in memoQ, "true" in Phrase and Trados Studio.
  static bool has_lock(const XmlAttributes& attributes) {
    return is_in(attributes.first_of({"mq:locked", "m:locked", "locked"}), {"locked", "true"});
  }

  void end_of(const std::string& name, const Element& element) override {
    const bool is_translated = translated_.back();
    translated_.pop_back();
    if (is_in(parent(), {"trans-unit", "segment"})) {
      if (is_in(name, {"source", "seg-source"})) source_ = {element, blanks_before(element.begin), contents()};
      if (name == "target") target_ = {element, "", contents()};
    }
    if (name == (is_2_ ? "xliff" : "file")) set_target_language();
    if (is_in(name, {"trans-unit", "segment"})) end_unit(is_translated);
  }

  void end_unit(bool is_translated) {
    if (!source_ || !has_text(source_->contents)) return;
    const bool is_final = is_approved_ || is_in(state_, {"final", "signed-off"}) || (is_2_ && state_ == "reviewed");
    const bool is_locked = is_locked_ || (num_locks_ > 0 && num_locked_ == num_locks_);
    if ((is_final && target_ && has_text(target_->contents)) || is_locked || !is_translated) {
      ++document_.num_kept;
      return;
    }
    has_targets_ = true;
    std::string target_tag =
        target_ ? opened(target_->element.tag) : "<" + with_prefix_of(source_->element.tag, "target") + ">";
    if (is_2_) {
      // A program that changes the state must remove the sub-state, which belongs to the old one.
      const std::string unit = with_attribute(without_attribute(unit_, "subState"), "state", "translated");
      builder_.replace(unit_begin_, unit_begin_ + unit_.size(), unit);
    } else {
      // Nobody has approved the new text.
      if (is_approved_) builder_.replace(unit_begin_, unit_begin_ + unit_.size(), without_attribute(unit_, "approved"));
      target_tag = with_attribute(with_attribute(target_tag, "state", "needs-review-translation"), "state-qualifier",
                                  "mt-suggestion");
    }
    const std::string before = target_ ? target_tag : source_->indentation + target_tag;
    const size_t begin = target_ ? target_->element.begin : source_->element.end;
    const size_t end = target_ ? target_->element.end : begin;
    builder_.replace(begin, end, between(before, source_->contents, end_tag(target_tag)));
  }

  void set_languages(const std::string& source, const std::string& target) {
    document_.language = source;
    target_language_ = target;
    file_tag_ = tag();
    file_begin_ = XmlParser::begin();
    has_targets_ = false;
    if (!task_.part.empty() && task_.part != "source" && language_fit(source, task_.part) == 0) {
      throw FormatError(line(), "its source language is '{}', not '{}'; name that one, or none", source, task_.part);
    }
    if (!task_.into.empty() && !target.empty() && language_fit(target, task_.into) == 0) {
      throw ParameterError(
          "'into' {}: {}:{} names {} as its target language; leave the option out, or correct the file", task_.into,
          task_.file, line(), target);
    }
  }

  void set_target_language() {
    if (!has_targets_ || !target_language_.empty()) return;
    if (!task_.into.empty()) {
      builder_.replace(file_begin_, file_begin_ + file_tag_.size(),
                       with_attribute(file_tag_, is_2_ ? "trgLang" : "target-language", task_.into));
    } else if (is_2_) {
      throw ParameterError("'into': {} has no trgLang, without which it may have no translations; name their language",
                           task_.file);
    }
  }

  bool is_2_ = false, is_approved_ = false, is_locked_ = false, has_targets_ = false;
  int num_locks_ = 0, num_locked_ = 0;  // parts of the unit
  std::vector<bool> translated_;  // of the elements around the current position: whether their text is to be translated
  std::string unit_, state_, target_language_, file_tag_;
  size_t unit_begin_ = 0, file_begin_ = 0;
  std::optional<Side> source_, target_;
};

/// TMX 1.1 to 1.4.
class TmxDocument : public XmlDocument {
 public:
  TmxDocument(std::string bytes, const DocumentTask& task) : XmlDocument(std::move(bytes), task) {
    if (task.into.empty()) {
      throw ParameterError("'into': {} has several languages; name that of the translations", task.file);
    }
  }

 private:
  struct Variant {
    std::string language, attribute, indentation;
    Element element, segment;
    Contents contents;
  };

  void begin(const std::string& name, const XmlAttributes& attributes) override {
    if (is_in(name, {"header", "tu"}) && task_.part.empty()) {
      const std::string source = attributes.first_of({"srclang"});
      if (!source.empty()) (name == "tu" ? unit_source_ : source_language_) = source;
    }
    if (name == "tu") variants_.clear();
    if (name == "tuv") {
      Variant& variant = variants_.emplace_back();
      variant.language = attributes.first_of({"xml:lang", "lang"});
      variant.attribute = attributes.first_of({"xml:lang"}).empty() ? "lang" : "xml:lang";
      variant.indentation = blanks_before(XmlParser::begin());
      const bool is_known = std::any_of(languages_.begin(), languages_.end(), [&](const std::string& language) {
        return language_fit(language, variant.language) == 2;
      });
      static constexpr size_t kMaxNames = 40;
      if (!is_known && languages_.size() < kMaxNames) languages_.push_back(variant.language);
    }
    if (name == "seg" && parent() == "tuv") collect(DividingBreaks::unindented);
  }

  void end_of(const std::string& name, const Element& element) override {
    if (name == "seg" && parent() == "tuv") {
      variants_.back().segment = element;
      variants_.back().contents = contents();
    }
    if (name == "tuv" && !variants_.empty()) variants_.back().element = element;
    if (name == "tu") end_unit();
  }

  const Variant* best(const std::string& language) const {
    const Variant* found = nullptr;
    int best = 0;
    for (const Variant& variant : variants_) {
      const int fit = language_fit(variant.language, language);
      if (fit <= best || variant.segment.end == 0) continue;
      best = fit;
      found = &variant;
    }
    return found;
  }

  void end_unit() {
    std::string language = task_.part;
    if (language.empty()) language = unit_source_.empty() ? source_language_ : unit_source_;
    unit_source_.clear();
    if (language.empty() || language == "*all*") {
      throw FormatError(line(), "it does not say which of its languages is the source ({}); name it, as in {}#{}",
                        fmt::join(languages_, ", "), task_.path, languages_.empty() ? "en" : languages_.front());
    }
    const Variant* source = best(language);
    if (source == nullptr) {
      ++document_.num_without;
      return;
    }
    has_source_ = true;
    if (document_.language.empty()) document_.language = source->language;
    if (!has_text(source->contents)) return;
    if (language_fit(source->language, task_.into) > 0) {
      throw ParameterError("'into' {}: {}:{} has the text to translate in this language; name that of the translations",
                           task_.into, task_.file, line());
    }
    if (const Variant* target = best(task_.into); target != nullptr && target != source) {
      const std::string tag = opened(target->segment.tag);
      builder_.replace(target->segment.begin, target->segment.end, between(tag, source->contents, end_tag(tag)));
    } else {
      const size_t end = variants_.back().element.end;
      const std::string before =
          fmt::format("{}<tuv {}=\"{}\"><seg>", source->indentation, source->attribute, escape_xml(task_.into));
      builder_.replace(end, end, between(before, source->contents, "</seg></tuv>"));
    }
  }

  void finish() override {
    if (has_source_ || languages_.empty()) return;
    throw FormatError(1, "it has no text in '{}', only {}; name one of them, as in {}#{}",
                      task_.part.empty() ? source_language_ : task_.part, fmt::join(languages_, ", "), task_.path,
                      languages_.front());
  }

  std::string source_language_, unit_source_;
  std::vector<Variant> variants_;       // of the unit
  std::vector<std::string> languages_;  // for messages
  bool has_source_ = false;
};

/// A test set of WMT in XML: the translations of each document are added as <hyp>.
class TestSetDocument : public XmlDocument {
 public:
  TestSetDocument(std::string bytes, const DocumentTask& task) : XmlDocument(std::move(bytes), task) {
    if (task.into.empty()) {
      throw ParameterError("'into': {} is a test set; name the language of the translations", task.file);
    }
  }

 private:
  struct Text {
    size_t begin, end;  // of what is inside of the segment's tags
    Contents contents;
  };

  void begin(const std::string& name, const XmlAttributes& attributes) override {
    if (name == "doc") {
      source_.reset();
      old_.reset();
      behind_ = 0;
    }
    if (is_in(name, {"src", "ref", "hyp"})) {
      const std::string language = attributes.first_of({"lang"});
      is_source_ = name == "src" && (is_in(task_.part, {"", "src"}) || language_fit(language, task_.part) > 0);
      const bool is_into = language.empty() || language_fit(language, task_.into) == 2;
      is_old_ = name == "hyp" && attributes.first_of({"system"}) == kSystem && is_into;
      if (is_source_) {
        document_.language = language;
        indentation_ = blanks_before(XmlParser::begin());
        texts_.clear();
      }
    }
    if (name == "seg" && is_source_) collect(DividingBreaks::none);
  }

  void end_of(const std::string& name, const Element& element) override {
    if (name == "seg" && is_source_ && element.end != 0) {
      const size_t end = element.tag.ends_with("/>") ? element.begin_of_content : XmlParser::begin();
      texts_.push_back({element.begin_of_content, end, contents()});
    }
    if (is_in(name, {"src", "ref", "hyp"})) {
      behind_ = element.end;
      if (is_source_) {
        source_ = element;
        end_of_source_ = XmlParser::begin();
      }
      if (is_old_) old_ = element;
      is_source_ = is_old_ = false;
    }
    if (name == "doc") add_translations();
  }

  void add_translations() {
    if (!source_) {
      ++document_.num_without;
      return;
    }
    const std::string tag = fmt::format("<hyp system=\"{}\" lang=\"{}\">", kSystem, escape_xml(task_.into));
    size_t begin = old_ ? old_->begin : behind_;
    const size_t end = old_ ? old_->end : behind_;
    size_t written = source_->begin_of_content;
    std::string before = (old_ ? "" : indentation_) + tag;
    for (const Text& text : texts_) {
      before += builder_.bytes(written, text.begin);
      builder_.replace(begin, end, between(before, text.contents, ""));
      before.clear();
      begin = end;
      written = text.end;
    }
    builder_.replace(begin, end, before + std::string(builder_.bytes(written, end_of_source_)) + "</hyp>");
  }

  static constexpr const char* kSystem = "transformer";
  bool is_source_ = false, is_old_ = false;  // which element is around the current position
  std::optional<Element> source_, old_;
  size_t behind_ = 0, end_of_source_ = 0;
  std::string indentation_;
  std::vector<Text> texts_;
};

/// Finds the name of a document's outermost element.
class RootName : public XmlParser {
 public:
  explicit RootName(std::string_view bytes) : XmlParser("UTF-8") {
    try {
      parse(bytes, /*is_last=*/true);
    } catch (const Found&) {
      return;  // the rest of the document does not matter
    }
  }
  const std::string& name() const { return name_; }

 private:
  struct Found {};
  void begin_element(const std::string& name, const XmlAttributes&) override {
    name_ = name;
    throw Found();
  }
  void end_element(const std::string&) override {}
  void add_text(std::string_view) override {}

  std::string name_;
};

}  // namespace

Document read_xml_document(std::string bytes, const DocumentTask& asked) {
  DocumentTask task = asked;
  task.part = without_tags_mark(asked.part);  // inline tags are always kept
  const std::string root = RootName(bytes).name();
  if (root == "xliff") return XliffDocument(std::move(bytes), task).read();
  if (root == "tmx") return TmxDocument(std::move(bytes), task).read();
  if (root == "dataset") return TestSetDocument(std::move(bytes), task).read();
  if (is_in(root, {"srcset", "refset", "tstset", "mteval"})) return read_sgml_document(std::move(bytes), task);
  if (root == "tt") {
    throw Error("it is subtitles in TTML; convert them to SubRip's format, as with `pysubs2 --to srt FILE`");
  }
  throw Error("its outermost element is <{}>; of XML, only XLIFF, TMX, XHTML and the test sets of WMT are translated",
              root);
}

}  // namespace transformer
