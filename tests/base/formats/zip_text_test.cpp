#include "base/formats/zip_text.h"

#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/gzip.h"
#include "base/line_reader.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "error_of.h"
#include "serialization/archive_bytes.h"

namespace transformer {
namespace {

using Lines = std::vector<std::string>;

/// A zip archive in a file, read by its name and what follows it.
class ZipFile {
 public:
  explicit ZipFile(const std::string& bytes) : path_(directory_ / "News.zip") { write_file_atomically(path_, bytes); }
  Lines lines(const std::string& part) const { return read_lines(path_ + part); }
  /// The error without the directory.
  std::string error(const std::string& part) const {
    return error_of(directory_, [&] { lines(part); });
  }

 private:
  TemporaryDirectory directory_;
  std::string path_;
};

const std::vector<RecordBytes> kPackage = {{"LICENSE", "a license\n"},
                                           {"News.de-en.de", "ein\nzwei\n"},
                                           {"News.de-en.en", "one\ntwo"},
                                           {"News.de-en.xml", "<?xml version=\"1.0\"?>\n"},
                                           {"README", "see http\n"}};

}  // namespace

TEST_CASE("a language of OPUS's package is read, also by the name of its file") {
  const ZipFile package(zip_of(kPackage));
  CHECK(package.lines("#de") == Lines{"ein", "zwei"});
  CHECK(package.lines("#EN") == Lines{"one", "two"});
  CHECK(package.lines("#README") == Lines{"see http"});
  CHECK(package.error("") ==
        "News.zip:1: it has text in several languages (de and en); name the one to read, as in News.zip#de");
  CHECK(package.error("#fr") ==
        "News.zip:1: it has no text in 'fr', only de and en; name one of them, as in News.zip#de");
  CHECK(package.error("#xml") ==
        "News.zip:1: the file News.de-en.xml in it is compressed or in another format itself; unpack it, and give that "
        "file");
  const ZipFile regions(zip_of({{"a.en-pt_br.en", "one\n"}, {"a.en-pt_br.pt_br", "um\n"}}));
  CHECK(regions.lines("#pt") == Lines{"um"});
  CHECK(regions.lines("#pt-BR") == Lines{"um"});
}

TEST_CASE("of several files in a language the one to read must be named") {
  const ZipFile several(zip_of({{"x/", ""},
                                {"x/dev.de", "ja\n"},
                                {"x/train.de", "nein\n"},
                                {"__MACOSX/x/._dev.en", ""},
                                {"x/dev.en", "yes\n"}}));
  CHECK(several.error("#de") ==
        "News.zip:1: it has several files in 'de' (x/dev.de and x/train.de); name the one to read, as in "
        "News.zip#x/dev.de");
  CHECK(several.lines("#x/train.de") == Lines{"nein"});
  CHECK(several.lines("#en") == Lines{"yes"});
}

TEST_CASE("a zip archive that is not one of texts is refused with what it is") {
  for (const std::string part : {"", "#de"}) {
    CHECK(ZipFile(zip_of({{"x/", ""}})).error(part) ==
          "News.zip:1: it is a zip archive without files; give one that has a text");
    CHECK_THAT(ZipFile("PK\5\6" + std::string(18, '\0')).error(part),
               Catch::Contains("it is a zip archive without files"));
  }
  CHECK(ZipFile(zip_of({{"README", "one\n"}})).error("") ==
        "News.zip:1: it has no text, only README; unpack it, and give one of its files");
  CHECK_THAT(ZipFile(zip_of({{"mimetype", "application/vnd.oasis.opendocument.text"}, {"a", "b"}})).error(""),
             Catch::Contains("it is an OpenDocument file"));
  CHECK_THAT(ZipFile(zip_of({{"xl/workbook.xml", ""}})).error(""), Catch::Contains("it is an Excel workbook"));
  CHECK(ZipFile(zip_of({{"a.txt", "one\n"}})).error("#de") ==
        "News.zip:1: it has no text in 'de', only a.txt; name one of them, as in News.zip#a.txt");
  CHECK_THAT(ZipFile("one\n").error("#de"), Catch::Contains("it is plain text, of which '#de' names no part"));
}

TEST_CASE("the only text of a zip archive need not be named, and of several ones all are proposed") {
  CHECK(ZipFile(zip_of({{"README", "see\n"}, {"x/a.txt", "one\n"}})).lines("") == Lines{"one"});
  CHECK(ZipFile(zip_of({{"x.de", "ein\n"}, {"x.en", "one\n"}})).error("") ==
        "News.zip:1: it has several files (x.de and x.en); name the one to read, as in News.zip#x.de");
}

TEST_CASE("a file of a zip archive that is compressed or in another format is refused, whatever its name") {
  GzipWriter writer;
  std::string gzip = writer.add("one\n");
  gzip += writer.finish();
  const std::string refused =
      "News.zip:1: the file x.de-en.en.gz in it is compressed or in another format itself; unpack it, and give that "
      "file";
  const ZipFile compressed(zip_of({{"x.de-en.en.gz", gzip}}));
  CHECK(compressed.error("#en") == refused);
  CHECK(compressed.error("#x.de-en.en.gz") == refused);
  CHECK(compressed.error("") == "News.zip:1: it has no text, only x.de-en.en.gz; unpack it, and give one of its files");
  CHECK(ZipFile(zip_of({{"m.tmx", "<tmx/>"}, {"x.en", "one\n"}})).error("#de") ==
        "News.zip:1: it has no text in 'de', only x.en; name one of them, as in News.zip#x.en");
  CHECK(
      ZipFile(zip_of({{"x.en", gzip}})).error("#en") ==
      "News.zip:1: cannot be read: the file in this zip archive is compressed itself; decompress it, and give the text "
      "file");
  CHECK_THAT(ZipFile(zip_of({{"x.en", "<tmx><body/></tmx>"}})).error("#en"),
             Catch::StartsWith("News.zip:1: cannot be read: the text in this zip archive is not one sentence"));
}

TEST_CASE("a zip archive that is cut short or damaged anywhere is refused or read as it was") {
  const std::string sound = zip_of(kPackage);
  for (size_t size = 4; size < sound.size(); size += 7) {
    INFO(size);
    CHECK_THAT(ZipFile(sound.substr(0, size)).error("#de"), Catch::Contains("damaged or of another kind"));
  }
  for (size_t place = 4; place < sound.size(); place += 3) {
    INFO(place);
    std::string damaged = sound;
    damaged[place] = static_cast<char>(damaged[place] ^ 4);
    const ZipFile file(damaged);
    std::optional<Lines> lines;
    try {
      lines = file.lines("#de");
    } catch (const Error&) {  // is as good
    }
    CHECK(lines.value_or(Lines{"ein", "zwei"}) == Lines{"ein", "zwei"});
  }
}

TEST_CASE("a compressed text in a zip archive gives no more than its size, in small parts") {
  GzipWriter writer;
  const std::string text(size_t{1} << 26, '\n');
  std::string gzip = writer.add(text);
  gzip += writer.finish();
  static constexpr size_t kHeader = 10, kTrailer = 8;  // of gzip, without which it is what zip archives have
  const std::string bytes = gzip.substr(kHeader, gzip.size() - kHeader - kTrailer);
  ZipRecord record{
      .size = bytes.size(), .content_size = text.size(), .is_compressed = true, .checksum = crc32_of(text)};
  const auto read = [&] {
    const auto decompressor = decompressor_for(record);
    decompressor->add(bytes);
    size_t size = 0, largest = 0;
    for (std::string part = decompressor->next(); !part.empty(); part = decompressor->next()) {
      size += part.size();
      largest = std::max(largest, part.size());
    }
    CHECK(largest <= size_t{1} << 16);
    CHECK(decompressor->is_complete());
    return size;
  };
  CHECK(read() == text.size());
  record.content_size = 1000000;
  CHECK_THROWS_WITH(read(), "the zip archive is damaged; copy or download it again");
  record.content_size = text.size() + 1;
  CHECK_THROWS_WITH(read(), "the zip archive is damaged; copy or download it again");
  record = {.size = bytes.size(), .content_size = text.size(), .is_compressed = true, .checksum = 1};
  CHECK_THROWS_WITH(read(), "the zip archive is damaged; copy or download it again");
}

}  // namespace transformer
