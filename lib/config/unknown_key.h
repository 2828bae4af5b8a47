#pragma once

#include <string>
#include <vector>

namespace transformer {

/// What to say about a key that does not exist.
struct UnknownKey {
  std::string message;             // "unknown key 'model.d_modle' (did you mean 'model.d_model'?)"
  std::vector<std::string> meant;  // the keys that are suggested; empty if none is near
};

/// The config keys that an unknown name may stand for.
struct MeantKeys {
  std::vector<std::string> keys;
  std::string remark;  // where the meaning of another toolkit's name differs; may be empty
};

/// The keys that end in the same parts as the name, whatever their section, case, underscores and dashes, or else the
/// key that does what the name means in another toolkit; none if there is neither.
MeantKeys keys_called(const std::string& name, const std::vector<std::string>& keys);

/// Explains why `name` is none of `keys`. Suggests, in this order: keys that end in the same parts, whatever their
/// section, case and underscores; the key that does what the name means in another toolkit; the key whose last part is
/// most similar, if it is similar enough.
UnknownKey explain_unknown_key(const std::string& name, const std::vector<std::string>& keys);

}  // namespace transformer
