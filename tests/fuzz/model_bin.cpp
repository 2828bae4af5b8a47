#include "serialization/model_bin.h"

#include "fuzz.h"

namespace transformer {

/// A `model.bin` of CTranslate2.
void fuzz(std::string_view input) { read_model_bin(input); }

}  // namespace transformer
