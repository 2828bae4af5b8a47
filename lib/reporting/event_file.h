#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace transformer {

/// An event file of TensorBoard, `events.out.tfevents.TIME.HOST.PROCESS` in a directory of the run. Each process that
/// trains writes a file of its own. The first write creates directory and file, and throws Error if that fails.
class EventFile {
 public:
  /// TensorBoard drops the events of `first_step` and later steps that it read from the files before this one: those
  /// are the steps that a resumed run takes again.
  EventFile(std::string directory, int64_t first_step);

  /// Writes the values, each with its tag, such as "loss/train".
  void write_scalars(int64_t step, const std::vector<std::pair<std::string, double>>& values);
  /// Writes texts in Markdown, each with its tag.
  void write_texts(int64_t step, const std::vector<std::pair<std::string, std::string>>& texts);

 private:
  void create();

  std::string directory_;
  int64_t first_step_;
  std::string path_;  // empty until the first write
};

}  // namespace transformer
