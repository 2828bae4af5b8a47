#include "inference/part_translator.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/formats/segments.h"

namespace transformer {

std::vector<JoinedLine> PartTranslator::translate(const std::vector<TranslationRequest>& lines,
                                                  const std::function<void(int64_t num_lines)>& on_progress) const {
  std::vector<DividedLine> divided;
  divided.reserve(lines.size());
  for (const TranslationRequest& line : lines) divided.emplace_back(division_, line);
  translate_requests(divided, on_progress);
  translate_requests(divided, {});  // what is between placeholders
  std::vector<JoinedLine> joined;
  joined.reserve(lines.size());
  for (DividedLine& line : divided) joined.push_back(std::move(line).joined());
  return joined;
}

void PartTranslator::translate_requests(std::vector<DividedLine>& lines,
                                        const std::function<void(int64_t num_lines)>& report) const {
  std::vector<TranslationRequest> requests;
  for (const DividedLine& line : lines) {
    requests.insert(requests.end(), line.requests().begin(), line.requests().end());
  }
  if (requests.empty()) return;
  std::function<void(int64_t)> on_progress;
  if (report) {
    on_progress = [&](int64_t done) { report(done * std::ssize(lines) / std::ssize(requests)); };
  }
  auto translated = translate_lines_(requests, on_progress);
  auto next = translated.begin();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].requests().empty()) continue;
    const auto end = next + std::ssize(lines[i].requests());
    try {
      lines[i].add({std::make_move_iterator(next), std::make_move_iterator(end)});
    } catch (const Error& error) {
      throw FormatError(static_cast<int64_t>(i) + 1, "{}", error.what());
    }
    next = end;
  }
}

}  // namespace transformer
