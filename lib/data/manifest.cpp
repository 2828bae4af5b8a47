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
    Manifest manifest{
        .inputs = member_of(object, "inputs"), .outputs = {outputs.begin(), outputs.end()}, .pairs_of_files = {}};
    const Json train = object.value("train", Json());
    if (train.contains("pairs_of_files")) {  // manifests of former versions lack it
      for (const Json& pairs : array_of(train.at("pairs_of_files"))) {
        const int64_t count = integer_of(pairs);
        if (count < 0) throw Error("expected a number of pairs, got {}", count);
        manifest.pairs_of_files.push_back(count);
      }
    }
    return manifest;
  } catch (const Error& misfit) {
    throw DamagedFile("{}: not a manifest ({})", path, misfit.what());
  }
}

}  // namespace transformer
