# Fails where a file includes a header of a folder of lib/ that it may not include.
#   awk -v allowed="model;ops;base" -v root=lib -f check_includes.awk FILE...
BEGIN {
  num_allowed = split(allowed, names, ";")
  for (i = 1; i <= num_allowed; ++i) is_allowed[names[i]] = 1
  gsub(";", ", ", allowed)
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  header = $0
  sub(/^[^"<]*["<]/, "", header)
  sub(/[">].*$/, "", header)
  folder = header
  sub(/\/.*$/, "", folder)
  if (folder in is_allowed) next
  if (header ~ /(^|\/)\.\.?\//) problem = "is not named from its folder of lib/ on"
  else if (is_file(root "/" header)) problem = "is above this folder, which may include " allowed " only (CMakeLists.txt)"
  else next
  print FILENAME ":" FNR ": error: '" header "' " problem
  failed = 1
}

END { exit failed }

function is_file(path,    line, status) {
  status = (getline line < path) >= 0
  close(path)
  return status
}
