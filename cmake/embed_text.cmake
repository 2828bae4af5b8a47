# embed_text(<target> <file> <constant>): the file's text as a std::string_view for the target's sources, in the header
# "embedded/<file name>.h". A change of the file configures the build again.
function(embed_text target file constant)
  file(READ "${file}" text)
  cmake_path(GET file FILENAME name)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embedded_text.h.in" "${PROJECT_BINARY_DIR}/generated/embedded/${name}.h"
    @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/generated")
endfunction()
