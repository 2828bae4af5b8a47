// Writes the version of the library, for which the header must be one of C++ as well.
#include <iostream>

#include "transformer.h"

int main() { std::cout << transformer_version() << '\n'; }
