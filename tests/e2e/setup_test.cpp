#include <string>

#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Runs scripts/setup.sh on a system with this /etc/os-release, whose package managers, sudo and pip only write down
/// how they are called, in `calls`; `before` are shell commands that run first, in a copy of the repository.
Result run_setup(const Workplace& place, const std::string& os_release, const std::string& before = "") {
  place.write("os-release", os_release);
  return place.run_shell("repository=" + quoted(kRepository.string()) + R"(
    set -e
    rm -rf copy && mkdir -p copy/scripts copy/cmake copy/.venv/bin copy/bin && : > calls
    cp "$repository"/scripts/setup.sh "$repository"/scripts/packages.txt copy/scripts/
    cp "$repository"/cmake/torch_version.txt copy/cmake/
    calls=$PWD/calls
    stand_in() { printf '#!/bin/sh\n%s\n' "$2" > "copy/$1"; chmod +x "copy/$1"; }
    for manager in apt-get dnf zypper pacman; do stand_in bin/$manager "echo $manager \"\$@\" >> '$calls'"; done
    for query in dpkg-query rpm; do stand_in bin/$query "exit 1"; done
    stand_in bin/pacman 'if [ "$1" = --deptest ]; then shift; printf "%s\n" "$@"; else echo pacman "$@" >> '"'$calls'; fi"
    stand_in bin/id 'echo 0'
    stand_in bin/cmake 'echo cmake version 3.25.1'
    stand_in bin/c++ 'echo 12'
    stand_in .venv/bin/python "case \"\$*\" in *install*) echo pip \"\$@\" >> '$calls' ;; esac"
    export OS_RELEASE=$PWD/os-release PATH=$PWD/copy/bin:$PATH
    )" + before + R"(
    exec copy/scripts/setup.sh --cpu)");
}

/// Of the packages in the table, those in a column.
constexpr const char* kSystems[][3] = {
    {"ID=debian\nVERSION_ID=\"12\"\n", "apt-get install -y --no-install-recommends build-essential cmake ninja-build ",
     " libfmt-dev "},
    {"ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n",
     "apt-get install -y --no-install-recommends build-essential cmake ninja-build ", " pkgconf\n"},
    {"ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"\n",
     "apt-get install -y --no-install-recommends build-essential cmake ninja-build ", " pkgconf g++-12\n"},
    {"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "apt-get install -y --no-install-recommends build-essential cmake ",
     " libfmt-dev "},
    {"ID=fedora\nVERSION_ID=42\n", "dnf install -y gcc-c++ cmake ninja-build ", " python3 sentencepiece-devel "},
    {"ID=rocky\nID_LIKE=\"rhel centos fedora\"\n", "dnf install -y gcc-c++ cmake ninja-build ", " json-devel "},
    {"ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", "zypper --non-interactive install gcc-c++ cmake ninja ",
     " nlohmann_json-devel "},
    {"ID=arch\n", "pacman -S --noconfirm --needed base-devel cmake ninja ", " python sentencepiece cli11 "},
};

}  // namespace

TEST_CASE("setup installs the packages of the distribution under their names") {
  const Workplace place;
  for (const auto& [os_release, beginning, part] : kSystems) {
    const Result result = run_setup(place, os_release);
    INFO(os_release << result.err);
    REQUIRE(result.status == 0);
    const std::string calls = place.read("calls");
    CHECK_THAT(calls, Catch::Contains(beginning));
    CHECK_THAT(calls, Catch::Contains(part));
    CHECK_THAT(calls, !Catch::Contains(" - "));
    CHECK_THAT(calls, Catch::Contains("pip -m pip"));
  }
}

TEST_CASE("setup installs missing packages only") {
  const Workplace place;
  const auto [os_release, installed, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"ID=debian\n",
       "stand_in bin/dpkg-query \"awk '!/^#/ && \\$1 != \\\"cmake\\\" { print \\\"installed\\\", \\$1 }' "
       "scripts/packages.txt\"",
       "apt-get install -y --no-install-recommends cmake\n"},
      {"ID=fedora\n", "stand_in bin/rpm 'test \"$3\" != cmake'", "dnf install -y cmake\n"},
      {"ID=arch\n",
       "stand_in bin/pacman 'if [ \"$1\" = --deptest ]; then echo cmake; else echo pacman \"$@\" >> '\"'$calls'; fi\"",
       "pacman -S --noconfirm --needed cmake\n"},
  }));
  const Result result = run_setup(place, os_release, installed);
  INFO(os_release << result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(place.read("calls"), Catch::Contains(expected));
}

TEST_CASE("setup says what is missing where it cannot install it") {
  const Workplace place;
  SECTION("neither root nor sudo") {
    const Result result = run_setup(
        place, "ID=fedora\n",
        "stand_in bin/id 'echo 1000'; for i in rm mkdir flock; do ln -s \"$(command -v $i)\" copy/bin/; done\n"
        "for i in bash awk grep printf dirname tr cat sha256sum; do ln -s \"$(command -v $i)\" copy/bin/; done\n"
        "export PATH=$PWD/copy/bin");
    CHECK(result.status == 1);
    CHECK_THAT(result.err,
               Catch::Contains("packages are missing; ask an administrator to run: dnf install -y gcc-c++"));
  }
  SECTION("an unknown distribution") {
    const Result result = run_setup(place, "ID=nixos\n");
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.err, Catch::Contains("this distribution is not known"));
    CHECK_THAT(place.read("calls"), !Catch::Contains("install -y"));
  }
  SECTION("a failing package manager") {
    const Result result = run_setup(place, "ID=arch\n", "stand_in bin/pacman '[ $1 = --deptest ] && echo cmake'");
    CHECK(result.status == 1);
    CHECK_THAT(result.err, Catch::Contains("pacman failed (see above)"));
  }
}

TEST_CASE("setup provides what Ubuntu 22.04 has in too old a version") {
  const Workplace place;
  const Result result = run_setup(place, "ID=ubuntu\nVERSION_ID=\"22.04\"\n",
                                  "stand_in bin/cmake 'echo cmake version 3.22.1'; stand_in bin/c++ 'echo 11'; "
                                  "stand_in bin/g++-12 'echo 12'");
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(place.read("calls"), Catch::Contains(" cmake>=3.25,<4\n"));
  CHECK(place.run_shell("readlink copy/.venv/tools/cmake").out == "../bin/cmake\n");
  CHECK(place.run_shell("copy/.venv/tools/c++").out == "12\n");
}

}  // namespace transformer
