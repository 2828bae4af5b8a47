#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "documents/read_document.h"
#include "error_of.h"

namespace transformer {

/// The document with each segment in capitals.
inline std::string in_capitals(const Document& document) {
  std::vector<std::string> texts;
  for (const Segment* segment : document.segments()) {
    std::string text = segment->text;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::toupper(c) : c); });
    const size_t size = text.size();
    texts.push_back(with_markup(*segment, text, {{0, 0}, {size, size}}, document.escape));
  }
  return with_translations(document, texts);
}

/// A file of this name and content.
class InputDocument {
 public:
  InputDocument(std::string name, const std::string& text) : name_(std::move(name)) {
    write_file_atomically(directory_ / name_, text);
  }
  Document read(const std::string& part = "", const std::string& into = "") const {
    return read_document((directory_ / name_) + part, into);
  }
  std::string capitals(const std::string& part = "", const std::string& into = "") const {
    return in_capitals(read(part, into));
  }
  std::string error(const std::string& part = "", const std::string& into = "") const {
    return error_of(directory_, [&] { read(part, into); });
  }

 private:
  TemporaryDirectory directory_;
  std::string name_;
};

}  // namespace transformer
