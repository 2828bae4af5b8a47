#include "data/prepared_files.h"

#include "catch.h"

namespace transformer {

TEST_CASE("prepared files: the corpora of validation sets are numbered from the second on") {
  const PreparedFiles files("p");
  CHECK(files.valid(0) == "p/valid.bin");
  CHECK(files.valid(1) == "p/valid-2.bin");
}

}  // namespace transformer
