#include "serialization/torch_file.h"

#include "fuzz.h"
#include "serialization/archive_bytes.h"

namespace transformer {
namespace {

void read_all(std::string_view bytes) {
  TorchFile file(bytes);
  file.find(file.root(), "args");
  for (const auto& [name, value] : file.entries(file.root())) {
    file.describe(value);
    file.find(value, "model");
    allow_error([&, id = value] { file.tensor(id); });
  }
}

}  // namespace

/// Behind 'p' the pickle of a file of torch.save that has a storage of 24 bytes; any other input is a file of the
/// format before zip.
void fuzz(std::string_view input) {
  static constexpr std::string_view kPickle = "p";
  if (!input.starts_with(kPickle)) return read_all(input);
  read_all(zip_of({{"a/data.pkl", std::string(input.substr(kPickle.size()))}, {"a/data/0", std::string(24, '\0')}}));
}

}  // namespace transformer
