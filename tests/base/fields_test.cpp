#include "base/fields.h"

#include "catch.h"

namespace transformer {

TEST_CASE("value as text is null, a scalar or a list in brackets") {
  CHECK(value_text({}) == "null");
  CHECK(value_text(Value::scalar("0.5")) == "0.5");
  CHECK(value_text(Value::scalar("")) == "\"\"");
  CHECK(value_text({Value::Kind::list, {}}) == "[]");
  CHECK(value_text({Value::Kind::list, {"0.5", "2"}}) == "[0.5, 2]");
  CHECK(value_text({Value::Kind::list, {"", "<bt>"}}) == "[\"\", <bt>]");
}

}  // namespace transformer
