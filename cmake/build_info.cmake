# add_build_info(<target>): defines kBuildInfo of base/build_info.h in the target. A commit configures the build again.
function(add_build_info target)
  set(commit "unknown")
  # In a work tree that `git worktree` made, .git is a file.
  execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" rev-parse --path-format=absolute --git-path logs/HEAD
    OUTPUT_VARIABLE git_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${PROJECT_SOURCE_DIR}/.git" AND EXISTS "${git_log}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${git_log}")
    execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" rev-parse --short HEAD
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      set(commit "${found}")
    endif()
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/build_info.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/build_info.cpp.in" "${source}" @ONLY)
  target_sources(${target} PRIVATE "${source}")
endfunction()
