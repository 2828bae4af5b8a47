#include "documents/markup_tag.h"

#include <algorithm>
#include <cctype>

#include "base/formats/character_entities.h"
#include "base/words.h"

namespace transformer {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Where an attribute and its value are in a tag.
struct Attribute {
  size_t begin = 0, end = 0;              // with the blank before it
  size_t value_begin = 0, value_end = 0;  // without quotation marks
};

/// Finds the attribute; if the tag lacks it, `begin` is where one can be added, and `end` is 0.
Attribute find_attribute(std::string_view tag, std::string_view name) {
  size_t i = std::min(tag.find_first_of(" \t\r\n>", 1), tag.size());
  Attribute found;
  while (true) {
    found.begin = i;
    i = tag.find_first_not_of(kBlanks, i);
    if (i == std::string_view::npos || tag[i] == '>' || tag.substr(i) == "/>") break;
    const size_t end_of_name = std::min(tag.find_first_of(" \t\r\n=>", i + 1), tag.size());
    const std::string here = lower_case(tag.substr(i, end_of_name - i));
    size_t end = end_of_name;
    found.value_begin = found.value_end = end;
    const size_t equals = tag.find_first_not_of(kBlanks, end_of_name);
    if (equals != std::string_view::npos && tag[equals] == '=') {
      const size_t value = std::min(tag.find_first_not_of(kBlanks, equals + 1), tag.size() - 1);
      const bool is_quoted = tag[value] == '"' || tag[value] == '\'';
      found.value_begin = is_quoted ? value + 1 : value;
      found.value_end =
          std::min(is_quoted ? tag.find(tag[value], value + 1) : tag.find_first_of(" \t\r\n>", value), tag.size() - 1);
      end = std::max(found.value_end + (is_quoted ? 1 : 0), i + 1);
    }
    if (here == lower_case(name)) {
      found.end = end;
      return found;
    }
    i = end;
  }
  return {found.begin, 0, 0, 0};
}

/// Where the '>' is that ends a tag whose name begins at `begin`; npos if none does.
size_t end_of_attributes(std::string_view text, size_t begin) {
  // So that a long text with many "<a" and no end takes no time that grows with its square.
  static constexpr size_t kLongestBeforeAnother = 1024;
  bool follows_equals = false, is_in_value = false;  // is_in_value: one without quotation marks
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '>') return i;
    if (c == '<' && i > kLongestBeforeAnother) break;
    if (is_blank(c)) {
      is_in_value = false;
    } else if (follows_equals && (c == '"' || c == '\'')) {
      i = text.find(c, i + 1);
      if (i == std::string_view::npos) break;
      follows_equals = false;
    } else {
      is_in_value = is_in_value || follows_equals;
      follows_equals = c == '=' && !is_in_value;
    }
  }
  return std::string_view::npos;
}

}  // namespace

MarkupTag tag_at(std::string_view text, size_t position) {
  const std::string_view rest = text.substr(position);
  MarkupTag tag;
  if (rest.starts_with("<!--")) {
    const size_t end = rest.find("-->", 4);
    tag.end = position + (end == std::string_view::npos ? rest.size() : end + 3);
    return tag;
  }
  if (rest.size() < 2) return tag;
  tag.is_end = rest[1] == '/';
  const size_t name_begin = tag.is_end ? 2 : 1;
  const bool is_declaration = rest[1] == '!' || rest[1] == '?';
  if (!is_declaration && (rest.size() <= name_begin || !is_letter(rest[name_begin]))) return tag;
  const size_t end = end_of_attributes(rest, name_begin);
  if (end == std::string_view::npos) return tag;
  tag.end = position + end + 1;
  if (is_declaration) return tag;
  const size_t end_of_name = rest.find_first_of(" \t\r\n/>", name_begin);
  tag.name = lower_case(rest.substr(name_begin, end_of_name - name_begin));
  return tag;
}

std::string attribute_of(std::string_view tag, std::string_view name) {
  const Attribute found = find_attribute(tag, name);
  return found.end == 0 ? "" : std::string(tag.substr(found.value_begin, found.value_end - found.value_begin));
}

std::string with_attribute(const std::string& tag, const std::string& name, const std::string& value) {
  const Attribute found = find_attribute(tag, name);
  const std::string attribute = " " + name + "=\"" + escape_xml(value) + "\"";
  if (found.end != 0) return tag.substr(0, found.begin) + attribute + tag.substr(found.end);
  return tag.substr(0, found.begin) + attribute + tag.substr(found.begin);
}

std::string without_attribute(const std::string& tag, const std::string& name) {
  const Attribute found = find_attribute(tag, name);
  return found.end == 0 ? tag : tag.substr(0, found.begin) + tag.substr(found.end);
}

bool is_verbatim_element(std::string_view name) {
  return is_in(name,
               {"script", "style", "pre", "textarea", "svg", "math", "template", "code", "kbd", "samp", "var", "tt"});
}

size_t entity_size(std::string_view text) {
  if (!text.starts_with('&')) return 0;
  size_t end = 1;
  while (end < text.size() && (text[end] == '#' || std::isalnum(static_cast<unsigned char>(text[end])) != 0)) ++end;
  return end > 1 && end < text.size() && text[end] == ';' ? end + 1 : 0;
}

void add_entity(SegmentBuilder& segment, std::string_view entity, bool keep_line_breaks) {
  const std::string text = without_entities(entity, html_character);
  if (text == entity) {
    segment.add_markup(entity);
  } else {
    segment.add_text(text, keep_line_breaks);
  }
}

void add_html_text(SegmentBuilder& segment, std::string_view text, bool keep_line_breaks) {
  while (!text.empty()) {
    size_t end = entity_size(text);
    if (end > 0) {
      add_entity(segment, text.substr(0, end), keep_line_breaks);
    } else if (end = size_without_semicolon(text); end > 0) {
      const std::string_view bytes = text.substr(0, end);
      const std::string finished = std::string(bytes) + ';', character = without_entities(finished, html_character);
      segment.add_text(character == finished ? bytes : character, keep_line_breaks);
    } else {
      end = std::min(text.find('&', 1), text.size());
      segment.add_text(text.substr(0, end), keep_line_breaks);
    }
    text.remove_prefix(end);
  }
}

}  // namespace transformer
