#pragma once

#include <string>
#include <vector>

namespace transformer {

/// For the texts that a command reads: throws UsageError if more than one of them is "-" (stdin), and warns about a
/// .tsv or .tsv.gz file whose first line has columns, of which the path names none. Paths may be empty.
void check_input_texts(const std::vector<std::string>& paths);

/// Throws UsageError if more than one of the paths is "-" (stdout).
void check_single_stdout(const std::vector<std::string>& paths);

/// Throws UsageError if two of the paths name the same file or directory; paths may be empty. `where` is what the error
/// begins with, such as the option that the paths were given to.
void check_are_different(const std::vector<std::string>& paths, const std::string& where);

/// Throws UsageError if the output is "-", for commands that cannot write to stdout.
void check_is_not_stdout(const std::string& output);

/// Throws UsageError if the output is the file of one of the inputs (model files, or texts named as TextPath says),
/// which it would replace.
void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace transformer
