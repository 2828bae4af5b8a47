#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// The version of LibTorch in the text of at::show_config(); empty if it is not there.
std::string torch_version_of(std::string_view config);

/// The version of the loaded LibTorch, and that of the build where it is another one: "2.12.0, built with 2.11.0".
std::string torch_version_text(const std::string& loaded);

/// The versions of the program and of LibTorch: "transformer 0.2.0 (8f3c2d1), libtorch 2.11.0".
std::string version_line();

}  // namespace transformer
