#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "serialization/archive.h"

namespace transformer {

/// Whether a zip archive is an `.npz` file: every record is a `.npy` file.
bool is_npz(std::string_view bytes);

/// Gets parts of a file that are no longer needed, of any size.
using Release = std::function<void(std::string_view part)>;

/// The arrays of an `.npz` file of NumPy, by their names, as contiguous tensors: records may be stored or compressed,
/// arrays in C or Fortran order, of floating-point numbers or integers, little-endian. Throws DamagedFile, whose
/// message is the reason without the name of the file, if a checksum does not fit, or if the file is another one or has
/// other arrays.
NamedTensors read_npz(
    std::string_view bytes, const Release& release = [](std::string_view) {});

/// Writes tensors of a type that read_npz reads, in C order and not compressed, as NumPy and Marian read them. Throws
/// Error if the file cannot be written, or would have 4 GiB or more, for which Marian has no format.
void save_npz(const std::string& path, const NamedTensors& arrays);

}  // namespace transformer
