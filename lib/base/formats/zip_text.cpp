#include "base/formats/zip_text.h"

#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <vector>

#include "base/checksum.h"
#include "base/format.h"
#include "base/formats/segments.h"
#include "base/formats/xml_parser.h"
#include "base/line_reader.h"
#include "base/other_format.h"

namespace transformer {
namespace {

constexpr size_t kMaxShown = 10;

std::string ending_of(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

/// The language of a file such as "News.de-en.de"; empty for other names.
std::string language_of(const std::string& name) {
  const std::string language = ending_of(name);
  if (language.empty()) return "";
  const std::string pair = ending_of(name.substr(0, name.size() - language.size() - 1));
  const bool has_language = pair.starts_with(language + '-') || pair.ends_with('-' + language);
  return has_language ? language : "";
}

/// How well a file's name is the part that was asked for; 0: not at all.
int fit_of(const std::string& name, const std::string& part) {
  return name == part ? 3 : language_fit(ending_of(name), part);
}

/// Whether a file of an archive is a text by its name, and not what comes with one.
bool is_text_name(const std::string& name) {
  const std::string base = name.substr(name.rfind('/') + 1);
  return !is_name_of_other_format(name) && !base.starts_with("README") && !base.starts_with("LICENSE");
}

/// Whether these are the names in a document of another program.
bool is_document(const std::vector<std::string>& names) {
  const bool has_type = std::find(names.begin(), names.end(), "mimetype") != names.end();
  return has_type || !describe_document_archive(fmt::format("{}", fmt::join(names, "\n"))).empty();
}

/// The name of the only text of an archive. Throws FormatError if there are several, or none.
std::string only_text(const std::vector<std::string>& names, const std::vector<std::string>& languages,
                      const std::string& file) {
  if (!languages.empty()) {
    throw FormatError(1, "it has text in several languages ({}); name the one to read, as in {}#{}",
                      enumeration(languages, "and", kMaxShown), file, languages.front());
  }
  std::vector<std::string> texts = names;
  std::erase_if(texts, [](const std::string& name) { return !is_text_name(name); });
  if (texts.size() == 1) return texts.front();
  if (texts.empty()) {
    throw FormatError(1, "it has no text, only {}; unpack it, and give one of its files",
                      enumeration(names, "and", kMaxShown));
  }
  throw FormatError(1, "it has several files ({}); name the one to read, as in {}#{}",
                    enumeration(texts, "and", kMaxShown), file, texts.front());
}

/// Throws FormatError if the file of the archive is compressed or in another format, as its name says.
void check_is_text(const std::string& name) {
  if (!is_name_of_other_format(name)) return;
  throw FormatError(1, "the file {} in it is compressed or in another format itself; unpack it, and give that file",
                    name);
}

/// Adds up size and checksum of what it decompresses, and gives never more bytes than the archive's directory says.
class RecordDecompressor : public Decompressor {
 public:
  explicit RecordDecompressor(const ZipRecord& record) : record_(record) {
    static constexpr int kWithoutHeader = -MAX_WBITS;
    if (inflateInit2(&zlib_, kWithoutHeader) != Z_OK) throw std::bad_alloc();
  }
  ~RecordDecompressor() override { inflateEnd(&zlib_); }

  void add(std::string compressed) override {
    compressed_ = std::move(compressed);
    zlib_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    zlib_.avail_in = static_cast<uInt>(compressed_.size());
  }

  std::string next() override {
    std::string text = record_.is_compressed ? inflate_some() : std::exchange(compressed_, "");
    size_ += text.size();
    checksum_ = crc32_of(text, checksum_);
    const bool is_whole = size_ == record_.content_size && checksum_ == record_.checksum;
    if (size_ > record_.content_size || (has_ended_ && !is_whole)) throw damage();
    return text;
  }

  bool is_complete() override {
    if (size_ == record_.content_size && checksum_ != record_.checksum) throw damage();
    return size_ == record_.content_size;
  }

 private:
  static Error damage() { return Error("the zip archive is damaged; copy or download it again"); }

  std::string inflate_some() {
    static constexpr size_t kBlock = size_t{1} << 16;
    std::string text(kBlock, '\0');
    zlib_.next_out = reinterpret_cast<Bytef*>(text.data());
    zlib_.avail_out = static_cast<uInt>(text.size());
    const int status = has_ended_ ? Z_STREAM_END : inflate(&zlib_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) throw damage();
    has_ended_ = status == Z_STREAM_END;
    text.resize(text.size() - zlib_.avail_out);
    return text;
  }

  const ZipRecord record_;
  z_stream zlib_{};
  std::string compressed_;
  uint64_t size_ = 0;
  uint32_t checksum_ = 0;
  bool has_ended_ = false;
};

}  // namespace

std::pair<std::string, ZipRecord> find_zip_text(uint64_t archive_size, const ReadArchive& read, const std::string& part,
                                                const std::string& file) {
  std::map<std::string, ZipRecord> records;
  try {
    records = read_zip_directory(archive_size, read);
  } catch (const DamagedFile& misfit) {
    throw Error("the zip archive is damaged or of another kind ({}); copy or download it again, or unpack it",
                misfit.what());
  }
  // Folders, and what macOS adds beside each file.
  std::erase_if(
      records, [](const auto& record) { return record.first.ends_with('/') || record.first.starts_with("__MACOSX/"); });
  std::vector<std::string> languages, names, found;
  int best = 1;
  for (const auto& [name, record] : records) {
    names.push_back(name);
    const std::string language = language_of(name);
    if (std::find(languages.begin(), languages.end(), language) == languages.end()) languages.push_back(language);
    const int fit = fit_of(name, part);
    if (fit < best) continue;
    if (fit > best) found.clear();
    best = fit;
    found.push_back(name);
  }
  std::erase(languages, "");
  if (names.empty()) throw FormatError(1, "it is a zip archive without files; give one that has a text");
  if (part.empty() && is_document(names)) return {};
  if (part.empty()) found = {only_text(names, languages, file)};
  if (found.empty() && std::all_of(names.begin(), names.end(), is_name_of_other_format)) check_is_text(names.front());
  if (found.empty()) {
    std::erase_if(names, is_name_of_other_format);
    const std::vector<std::string>& known = languages.empty() ? names : languages;
    throw FormatError(1, "it has no text in '{}', only {}; name one of them, as in {}#{}", part,
                      enumeration(known, "and", kMaxShown), file, known.front());
  }
  if (found.size() > 1) {
    throw FormatError(1, "it has several files in '{}' ({}); name the one to read, as in {}#{}", part,
                      enumeration(found, "and", kMaxShown), file, found.front());
  }
  check_is_text(found.front());
  return {found.front(), records.at(found.front())};
}

std::unique_ptr<Decompressor> decompressor_for(const ZipRecord& record) {
  return std::make_unique<RecordDecompressor>(record);
}

}  // namespace transformer
