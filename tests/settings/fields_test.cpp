#include "settings/fields.h"

#include "base/error.h"
#include "catch.h"

namespace transformer {

TEST_CASE("true and false have YAML's spellings") {
  for (const char* text : {"true", "True", "TRUE"}) CHECK(field_types::to_bool(text));
  for (const char* text : {"false", "False", "FALSE"}) CHECK_FALSE(field_types::to_bool(text));
  for (const char* text : {"yes", "tRUE", "1", ""}) CHECK_THROWS_AS(field_types::to_bool(text), Error);
}

TEST_CASE("value as text is null, a scalar or a list in brackets") {
  CHECK(value_text({}) == "null");
  CHECK(value_text(Value::scalar("0.5")) == "0.5");
  CHECK(value_text(Value::scalar("")) == "\"\"");
  CHECK(value_text({Value::Kind::list, {}}) == "[]");
  CHECK(value_text({Value::Kind::list, {"0.5", "2"}}) == "[0.5, 2]");
  CHECK(value_text({Value::Kind::list, {"", "<bt>"}}) == "[\"\", <bt>]");
}

}  // namespace transformer
