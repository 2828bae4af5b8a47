#include "fuzz.h"
#include "serialization/archive_bytes.h"
#include "training/checkpoint.h"

namespace transformer {

/// The pickle of a checkpoint in an otherwise sound file, which has a record of 24 bytes.
void fuzz(std::string_view input) {
  const std::string archive =
      zip_of({{"archive/data/0", std::string(24, '\0')}, {"archive/data.pkl", std::string(input)}});
  load_checkpoint(InputFile(with_checksum(archive)).path());
}

}  // namespace transformer
