#include "base/formats/zip_text.h"

#include <cstring>
#include <string>

#include "fuzz.h"

namespace transformer {

/// A zip archive of texts, of which one is decompressed.
void fuzz(std::string_view input) {
  const ReadArchive read = [&](uint64_t position, void* to, size_t count) {
    std::memcpy(to, input.data() + position, count);
  };
  const auto [name, record] = find_zip_text(input.size(), read, "de", "News.zip");
  if (name.empty()) return;
  const auto decompressor = decompressor_for(record);
  decompressor->add(std::string(input.substr(record.offset, record.size)));
  uint64_t size = 0;
  for (std::string text = decompressor->next(); !text.empty(); text = decompressor->next()) size += text.size();
  require(size <= record.content_size);
  require(!decompressor->is_complete() || size == record.content_size);
}

}  // namespace transformer
