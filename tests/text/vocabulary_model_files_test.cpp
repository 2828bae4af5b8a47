#include "text/vocabulary_model_files.h"

#include <filesystem>

#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("vocabulary model files: the source has one of its own only if the vocabularies are separate") {
  const TemporaryDirectory directory;
  const VocabularyModelFiles files(directory.path());
  const VocabularyModels separate = VocabularyModels::separate("source", "target"), shared = std::string("shared");
  CHECK(write_vocabulary_models(files, separate) == std::vector<std::string>{files.target, files.source});
  CHECK(read_file(directory / "vocabulary.model") == "target");
  CHECK(read_file(directory / "source_vocabulary.model") == "source");
  CHECK(read_vocabulary_models(files) == separate);
  CHECK(write_vocabulary_models(files, shared) == std::vector<std::string>{files.target});
  CHECK(read_file(directory / "vocabulary.model") == "shared");
  CHECK(read_vocabulary_models(files) == shared);
  CHECK_FALSE(std::filesystem::exists(files.source));
}

}  // namespace transformer
