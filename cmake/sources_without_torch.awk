# Prints the sources among the files that include LibTorch neither themselves nor through the headers among the files.
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  header = $0
  sub(/^[^"<]*["<]/, "", header)
  sub(/[">].*$/, "", header)
  if (header ~ /^(torch|ATen|c10|caffe2)\//) uses_torch[FILENAME] = 1
  else includes[FILENAME] = includes[FILENAME] " " header
}

END {
  for (i = 1; i < ARGC; ++i) {
    # "/path/lib/model/linear.h" is included as "model/linear.h", "linear.h" or from a folder between.
    for (name = ARGV[i]; sub(/^[^\/]*\//, "", name); ) if (name != "") file_of[name] = file_of[name] SUBSEP ARGV[i]
  }
  do {
    changed = 0
    for (file in includes) {
      if (file in uses_torch) continue
      num_headers = split(includes[file], headers, " ")
      for (i = 1; i <= num_headers; ++i) {
        num_files = split(file_of[headers[i]], files, SUBSEP)
        for (j = 1; j <= num_files; ++j) {
          if (files[j] in uses_torch) uses_torch[file] = changed = 1
        }
      }
    }
  } while (changed)
  for (i = 1; i < ARGC; ++i) if (ARGV[i] ~ /\.cpp$/ && !(ARGV[i] in uses_torch)) print ARGV[i]
}
