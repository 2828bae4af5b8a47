#pragma once

#include <expat.h>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The attributes of an element.
class XmlAttributes {
 public:
  explicit XmlAttributes(const char** pairs) : pairs_(pairs) {}
  /// The value of the first of these names, in lower case, that the element has in any case; empty if it has none.
  std::string first_of(std::initializer_list<std::string_view> names) const;
  /// All of them as a tag has them, ' id="1"'.
  std::string text() const;

 private:
  const char** pairs_;
};

/// Parses XML as it comes, with expat. Nothing is loaded, and no entities are expanded but the five of XML and those
/// that stand for a single character. Units of TMX, XLIFF and test sets, their versions and their segments may stand
/// only where it is known what their text belongs to, and not in each other.
class XmlParser {
 public:
  /// `encoding`: of the text, whatever it declares; null: what it declares.
  explicit XmlParser(const char* encoding = nullptr);
  virtual ~XmlParser() = default;
  XmlParser(const XmlParser&) = delete;
  XmlParser& operator=(const XmlParser&) = delete;

  /// Parses the next bytes. Throws FormatError if the XML is broken, and what the functions below throw.
  void parse(std::string_view bytes, bool is_last);

 protected:
  /// `name` has no prefix and is in lower case.
  virtual void begin_element(const std::string& name, const XmlAttributes& attributes) = 0;
  virtual void end_element(const std::string& name) = 0;
  virtual void add_text(std::string_view text) = 0;

  /// Of what is being parsed, in these functions: its line, and its first byte and the one behind it.
  int64_t line() const { return static_cast<int64_t>(XML_GetCurrentLineNumber(parser_.get())); }
  size_t begin() const { return static_cast<size_t>(XML_GetCurrentByteIndex(parser_.get())); }
  size_t end() const { return begin() + static_cast<size_t>(XML_GetCurrentByteCount(parser_.get())); }

 private:
  template <class Function>
  void guard(const Function& function);
  void on_entity(const char* name, bool is_parameter, const char* value, int size);
  /// Throws FormatError if the element that begins, a unit or a part of one, would make text be lost or mixed.
  void enter(const std::string& name);
  void leave(const std::string& name);

  /// A unit or a part of one around the current position.
  struct OpenPart {
    std::string name;
    int64_t line;
    bool has_segment = false;  // directly in it
  };
  std::vector<OpenPart> open_parts_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::exception_ptr failure_;
};

/// A language code in one form: "en-us" for "en_US".
std::string language_form(std::string_view code);
/// Whether `code` is of the language `wanted`: exactly (2), as "en-US" of "en" (1), or not (0).
int language_fit(std::string_view code, std::string_view wanted);

}  // namespace transformer
