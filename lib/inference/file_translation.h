#pragma once

#include <cstdint>
#include <optional>

#include "documents/document.h"
#include "inference/loaded_model.h"
#include "inference/translation_task.h"
#include "text/aligned_lines.h"
#include "text/placeholders.h"
#include "text/sentences.h"

namespace transformer {

/// Translates a text line by line, in blocks of lines that are searched together, on all devices of the models. Input
/// that arrives slowly, from a pipe or a terminal, is translated as soon as it is there. A file as output appears only
/// when it is complete. With OutputFormat::document the output is the input with translated segments.
class FileTranslation {
 public:
  /// Opens the input, and reads a document. Throws UsageError if the output would replace an input or one of the
  /// models' files or if the task's settings contradict each other, and Error if a file cannot be read.
  explicit FileTranslation(TranslationTask task);

  /// Translates with the models of the task. Throws ParameterError if the task's settings contradict the model's
  /// config or its tag is none of the model's, and Error if a file cannot be read or written or a prefix cannot be
  /// generated.
  void run(const LoadedEnsemble& models);

 private:
  /// If it can be counted beforehand.
  std::optional<int64_t> num_lines_to_translate() const;

  TranslationTask task_;
  std::optional<AlignedLines> reader_;  // of a text
  std::optional<Document> document_;    // or a document
  std::optional<SentenceSplitter> splitter_;
  std::optional<Placeholders> placeholders_;
};

}  // namespace transformer
