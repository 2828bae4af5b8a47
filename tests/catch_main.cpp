#define CATCH_CONFIG_RUNNER  // makes Catch2 2 define its functions here
#include "catch.h"

int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
