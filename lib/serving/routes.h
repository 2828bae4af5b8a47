#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transformer {

/// The paths of a server, each with its method.
class Routes {
 public:
  void add(const std::string& path, const std::string& method);

  /// Whether there is the path and takes the method; one that takes GET takes HEAD as well.
  bool contains(const std::string& path, const std::string& method) const;
  /// The method of the path; none if there is no such path.
  std::optional<std::string> method_of(const std::string& path) const;
  /// A message for a path that there is not, or not with this method.
  std::string describe_unknown(const std::string& path, const std::string& method) const;

 private:
  std::vector<std::pair<std::string, std::string>> routes_;  // paths and methods
};

}  // namespace transformer
