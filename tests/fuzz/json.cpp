#include "base/json.h"

#include "fuzz.h"

namespace transformer {

/// A JSON text.
void fuzz(std::string_view input) {
  const Json value = parse_json(input);
  require(parse_json(json_text(value)) == value);
  allow_error([&] { number_of(value); });
  allow_error([&] { integer_of(value); });
  allow_error([&] { string_of(value); });
  allow_error([&] { array_of(value); });
  allow_error([&] { member_of(value, "a"); });
}

}  // namespace transformer
