#include "data/encoded_parts.h"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/parse_number.h"
#include "base/temporary_file.h"
#include "data/join_shards.h"

namespace transformer {
namespace {

/// The number of a part in the name of its file, or of a file that was to become it.
std::optional<int64_t> number_in(const std::string& name) {
  static constexpr std::string_view kBegin = "train.part-", kTemporary = ".tmp.";
  if (!name.starts_with(kBegin)) return std::nullopt;
  return parse_number<int64_t>(std::string_view(name).substr(0, name.find(kTemporary)).substr(kBegin.size()));
}

/// Removes the parts from `first` on, the last one first, so that a kill leaves no gap, and what is left of one that
/// was being written.
void remove_parts(const PreparedFiles& files, int64_t first) {
  std::set<int64_t, std::greater<>> numbers;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(files.directory, none)) {
    const auto number = number_in(entry.path().filename().string());
    if (number && *number >= first) numbers.insert(*number);
  }
  for (const int64_t number : numbers) {
    remove_leftovers_of(files.part(number));
    if (is_shard(files.part(number))) std::filesystem::remove(files.part(number));
  }
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

int64_t EncodedParts::read(const VocabularySizes& sizes, const BlockCallback& add) {
  int64_t num_blocks = 0;
  for (int64_t number = 1; number <= num_found_; ++number) {
    try {
      ShardReader reader(files_.part(number));
      for (auto block = reader.next(sizes, num_files_); !block.empty(); block = reader.next(sizes, num_files_)) {
        add(block);
        ++num_blocks;
      }
    } catch (const DamagedFile&) {
      log_warning("{}: is damaged; what follows in the text is encoded again", files_.part(number));
      remove_parts(files_, number);
      keeps_more_ = false;  // further parts would begin within this one
      break;
    }
  }
  return num_blocks;
}

void EncodedParts::add(const EncodedBlock& block, const VocabularyModels& vocabularies) {
  if (!keeps_more_) return;
  const std::string path = files_.part(num_parts_ + 1);
  try {
    if (!writer_) {
      if (std::filesystem::exists(path)) throw Error("{}: is there and no part of a text", path);
      writer_ = std::make_unique<ShardWriter>(path, ShardHeader{inputs_, vocabularies});
    }
    writer_->add(block);
    if (++num_blocks_ < kBlocks) return;
    writer_->finish((num_parts_ + 1) * kBlocks);
    ++num_parts_;
    num_blocks_ = 0;
  } catch (const Error& failure) {
    log_warning("{}; if this preparation is interrupted, the next one begins anew", failure.what());
    keeps_more_ = false;
    writer_.reset();
    remove_from(files_);
  }
  writer_.reset();
}

void EncodedParts::remove_from(const PreparedFiles& files) { remove_parts(files, 1); }

}  // namespace transformer
