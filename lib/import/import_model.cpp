#include "import/import_model.h"

#include "base/log.h"
#include "export/safetensors_export.h"
#include "inference/loaded_model.h"
#include "model/model_output.h"

namespace transformer {

void import_model(const std::string& directory, const std::string& output) {
  const SafetensorsFiles files(directory);
  check_model_output(output, {files.parameters, files.vocabulary_models.source, files.vocabulary_models.target});
  ModelFile model = import_safetensors(directory);
  // Building the model checks that its parts fit together and converts parameters of other types to fp32.
  model.parameters =
      copy_parameters(*build_model(model, files.parameters, files.vocabulary_models.target, torch::kCPU).network);
  save_model(output, model);
  log_info("wrote {}", output);
}

}  // namespace transformer
