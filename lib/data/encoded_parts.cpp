#include "data/encoded_parts.h"

#include <filesystem>
#include <utility>

#include "base/temporary_file.h"
#include "data/join_shards.h"

namespace transformer {
namespace {

/// Removes the parts from `first` on, and what is left of one that was being written.
void remove_parts(const PreparedFiles& files, int64_t first) {
  int64_t number = first;
  while (std::filesystem::remove(files.part(number))) ++number;
  remove_leftovers_of(files.part(number));
}

}  // namespace

EncodedParts::EncodedParts(const PreparedFiles& files, Json inputs, size_t num_files)
    : files_(files), inputs_(std::move(inputs)), num_files_(num_files) {
  while (const auto header = header_of_text(files_.part(num_found_ + 1), inputs_, num_files_)) {
    if (vocabularies_ && *vocabularies_ != header->vocabularies) break;
    vocabularies_ = header->vocabularies;
    ++num_found_;
  }
  num_parts_ = num_found_;
  remove_parts(files_, num_found_ + 1);
}

void EncodedParts::read(const VocabularySizes& sizes, const BlockCallback& add) const {
  for (int64_t number = 1; number <= num_found_; ++number) {
    ShardReader reader(files_.part(number));
    for (auto block = reader.next(sizes, num_files_); !block.empty(); block = reader.next(sizes, num_files_)) {
      add(block);
    }
  }
}

void EncodedParts::add(const EncodedBlock& block, const VocabularyModels& vocabularies) {
  if (!writer_) {
    writer_ = std::make_unique<ShardWriter>(files_.part(num_parts_ + 1), ShardHeader{inputs_, vocabularies});
  }
  writer_->add(block);
  if (++num_blocks_ < kBlocks) return;
  ++num_parts_;
  writer_->finish(num_parts_ * kBlocks);
  writer_.reset();
  num_blocks_ = 0;
}

void EncodedParts::remove_from(const PreparedFiles& files) { remove_parts(files, 1); }

}  // namespace transformer
