#include <filesystem>
#include <string>

#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// A directory as pip fills it: the wheel's Python package, the script that starts its program, here one that shows its
/// arguments and where it looks for libraries, and a package torch in `torch_site`, which must not be imported.
class Installation {
 public:
  explicit Installation(const std::string& torch_site, const std::string& torch_version) {
    for (const std::string& folder : {std::string("site/transformer_mt/bin"), torch_site + "/torch"}) {
      std::filesystem::create_directories(place_ / folder);
    }
    place_.write("site/transformer_mt/__init__.py", "raise SystemExit('imported')\n");
    place_.write("site/transformer_mt/bin/transformer",
                 "#!/bin/sh\necho \"$0 $*\"\necho \"libraries: $LD_LIBRARY_PATH\"\n");
    std::filesystem::permissions(place_ / "site/transformer_mt/bin/transformer", std::filesystem::perms::owner_all);
    place_.write(torch_site + "/torch/__init__.py", "raise SystemExit('imported')\n");
    place_.write(torch_site + "/torch/version.py", "__version__ = '" + torch_version + "'\ndebug = False\n");
    place_.run_shell("sed 's/@torch_version@/2.11.0/' " + quoted(kRepository / "python/transformer.in") +
                     " > launcher");
  }

  std::string operator/(const std::string& name) const { return place_ / name; }

  /// Starts the program; its own packages aside, Python finds those of `site` and `other`.
  Result run(const std::string& arguments) const {
    return place_.run_shell("PYTHONPATH=site:other " + quoted(std::string(TRANSFORMER_VENV) + "/bin/python") +
                            " -S launcher " + arguments);
  }

 private:
  Workplace place_;
};

}  // namespace

TEST_CASE("the wheel's launcher starts the program, which finds the torch package beside its own") {
  const Installation installation("site", "2.11.3+cu130");
  const std::string output = only_output_of(installation.run("translate --model 'a b'"));
  CHECK_THAT(output, Catch::StartsWith(installation / "site/transformer_mt/bin/transformer translate --model a b\n"));
  CHECK_THAT(output, !Catch::Contains("torch/lib"));
}

TEST_CASE("the wheel's launcher tells the program where a torch package in another directory is") {
  const Installation installation("other", "2.11.0");
  const std::string output = only_output_of(installation.run("--version"));
  CHECK_THAT(output, Catch::Contains("\nlibraries: " + (installation / "other/torch/lib:")));
}

TEST_CASE("the wheel's launcher refuses another version of torch, and a missing one") {
  const Installation newer("site", "2.12.0+cpu"), none("nowhere", "2.11.0");
  check_fails(newer.run("--version"), 1, {"torch 2.12.0+cpu is installed", "needs torch 2.11", "pip install"});
  check_fails(none.run("--version"), 1, {"the Python package torch is missing", "torch==2.11.*"});
}

TEST_CASE("the Python package loads the library in its folder lib") {
  const Workplace place;
  std::filesystem::copy(kRepository / "python/transformer_mt", place / "transformer_mt");
  std::filesystem::create_directory(place / "transformer_mt/lib");
  std::filesystem::create_symlink(TRANSFORMER_LIBRARY, place / "transformer_mt/lib/libtransformer.so");
  place.write("show.py", "import transformer_mt; print(transformer_mt._library._name)\n");
  CHECK(output_of(place.run_python({"show.py"})) == place / "transformer_mt/lib/libtransformer.so" + "\n");
}

}  // namespace transformer
