#include "base/line_writer.h"

#include <iostream>

#include "base/error.h"

namespace transformer {

void throw_stdout_error() {
  throw Error(
      "stdout: cannot be written (its reader has gone, or the disk is full); write to a file, or free some space, "
      "and run the same command again");
}

LineWriter::LineWriter(const std::string& path) {
  if (path == "-") return;
  for (const char* ending : {".xz", ".zst", ".bz2", ".zip"}) {
    if (!path.ends_with(ending)) continue;
    throw UsageError("{}: only gzip compresses what is written; give a name that ends in .gz instead of {}", path,
                     ending);
  }
  file_.emplace(path);
  if (path.ends_with(".gz")) gzip_.emplace();
}

void LineWriter::write(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  write_text(text);
}

void LineWriter::write_text(const std::string& text) {
  if (file_) {
    file_->write(gzip_ ? gzip_->add(text) : text);
  } else if (!(std::cout << text << std::flush)) {
    throw_stdout_error();
  }
}

void LineWriter::finish() {
  if (!file_) return;
  if (gzip_) file_->write(gzip_->finish());
  file_->commit();
}

}  // namespace transformer
