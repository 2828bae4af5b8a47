#include "parsing/evalb_parameters.h"

#include "fuzz.h"

namespace transformer {

/// A parameter file of EVALB.
void fuzz(std::string_view input) { read_evalb_parameters(InputFile(input).path()); }

}  // namespace transformer
