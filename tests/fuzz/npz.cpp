#include "serialization/npz.h"

#include "fuzz.h"
#include "serialization/archive_bytes.h"

namespace transformer {

/// An array of an `.npz` file; if the input begins with 'z', the rest is the file itself.
void fuzz(std::string_view input) {
  if (input.starts_with('z')) {
    read_npz(input.substr(1));
  } else {
    read_npz(zip_of({{"a.npy", std::string(input)}}));
  }
}

}  // namespace transformer
