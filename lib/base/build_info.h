#pragma once

namespace transformer {

/// From what and how the program was built.
struct BuildInfo {
  const char* version;
  const char* commit;    // "8f3c2d1"; "unknown" if the sources are in no git repository
  const char* compiler;  // "GNU 12.2.0"
  const char* type;      // CMake's build type, "Release"
};

extern const BuildInfo kBuildInfo;

}  // namespace transformer
