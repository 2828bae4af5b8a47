#include "browser.h"

#include "catch.h"

namespace transformer {
namespace {

/// The command of Chromium or Chrome, or "" if there is none.
std::string browser() {
  const Result found =
      Workplace(".").run_shell("command -v chromium || command -v chromium-browser || command -v google-chrome");
  return found.status == 0 ? lines_of(found.out).at(0) : "";
}

}  // namespace

bool has_browser() {
  static const bool found = !browser().empty();
  if (!found) WARN("not tested: there is no chromium");
  return found;
}

std::string document_in_browser(const Workplace& place, const std::string& address, const std::string& options) {
  const Result result =
      place.run_shell(browser() +
                      " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=\"$PWD/profile\" "
                      "--window-size=1280,900 --virtual-time-budget=2000 " +
                      options + " --dump-dom \"" + address + "\"");
  INFO(result.err);
  REQUIRE(result.status == 0);
  return result.out;
}

}  // namespace transformer
