#include "data/manifest.h"

#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"

namespace transformer {

Manifest read_manifest(const std::string& path) {
  const std::string text = read_file(path);
  try {
    const Json object = parse_json(text);
    const Json::array_t& outputs = array_of(member_of(object, "outputs"));
    return {.inputs = member_of(object, "inputs"), .outputs = {outputs.begin(), outputs.end()}};
  } catch (const Error& misfit) {
    throw DamagedFile("{}: not a manifest ({})", path, misfit.what());
  }
}

}  // namespace transformer
