#include "text/untagged_lines.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "base/words.h"

namespace transformer {

UntaggedLines::UntaggedLines(std::vector<std::string> tags, const std::optional<std::string>& chosen)
    : tags_(std::move(tags)) {
  std::sort(tags_.begin(), tags_.end());
  tags_.erase(std::unique(tags_.begin(), tags_.end()), tags_.end());
  if (chosen || std::find(tags_.begin(), tags_.end(), "") != tags_.end()) tags_.clear();
}

bool UntaggedLines::lacks_tag(std::string_view line) const {
  const size_t begin = line.find_first_not_of(kBlanks);
  if (tags_.empty() || begin == std::string_view::npos) return false;
  const std::string_view first_word = line.substr(begin, line.find_first_of(kBlanks, begin) - begin);
  return std::find(tags_.begin(), tags_.end(), first_word) == tags_.end();
}

std::string UntaggedLines::list_of_tags() const {
  static constexpr size_t kMaxShown = 5;
  return enumeration(tags_, "or", kMaxShown);
}

void UntaggedLines::add(std::string_view line, std::optional<int64_t> number) {
  number_ = number.value_or(number_ + 1);
  if (lacks_tag(line)) untagged_.add(number_);
}

void UntaggedLines::warn(const std::string& text, const char* remedy) const {
  if (untagged_.count == 0) return;
  log_warning("{}:{}: does not begin with {}, {}; every source line of the training text began with {}, so {}", text,
              untagged_.first, list_of_tags(), first_of_such_lines(untagged_.count), one_of_them(), remedy);
}

}  // namespace transformer
