# What `cmake --install` writes: the program, the library with what its users' build systems look for, the CUDA part,
# configs and completion scripts. The installed directory may be moved: nothing in it knows where it is.

# Binaries find the wheel where the build found it, and in an installation through LD_LIBRARY_PATH as well. They have a
# DT_RPATH, because the newer DT_RUNPATH does not hold for libraries that other libraries need, such as ICU's data.
target_link_options(transformer PRIVATE LINKER:--disable-new-dtags)
set_target_properties(transformer PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${installed_torch}")
install(TARGETS transformer RUNTIME DESTINATION bin)
if(TRANSFORMER_CUDA)
  set_target_properties(transformer_cuda PROPERTIES INSTALL_RPATH "$ORIGIN;${installed_torch}")
  install(TARGETS transformer_cuda LIBRARY DESTINATION lib)
endif()

# The library, for find_package(transformer CONFIG) and for pkg-config.
target_link_options(transformer_library PRIVATE LINKER:--disable-new-dtags)
set_target_properties(transformer_library PROPERTIES EXPORT_NAME transformer
  INSTALL_RPATH "$ORIGIN;${installed_torch}")
install(TARGETS transformer_library EXPORT transformer LIBRARY DESTINATION lib PUBLIC_HEADER DESTINATION include
  INCLUDES DESTINATION include)
install(EXPORT transformer NAMESPACE transformer:: FILE transformer-config.cmake DESTINATION lib/cmake/transformer)
include(CMakePackageConfigHelpers)
if(PROJECT_VERSION_MAJOR EQUAL 0) # before version 1, semantic versions let each minor version change everything
  set(compatible SameMinorVersion)
else()
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file(transformer-config-version.cmake COMPATIBILITY ${compatible})
configure_file("${CMAKE_CURRENT_LIST_DIR}/transformer.pc.in" transformer.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/transformer-config-version.cmake" DESTINATION lib/cmake/transformer)
install(FILES "${PROJECT_BINARY_DIR}/transformer.pc" DESTINATION lib/pkgconfig)

# The libraries that are not torch's travel with the program.
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:transformer>\"
    RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
    POST_INCLUDE_REGEXES yaml-cpp spdlog libfmt libicu sentencepiece libprotobuf libexpat libmd4c liblzma libbz2 libzstd
      libcpp-httplib libbrotli libssl libcrypto
    POST_EXCLUDE_REGEXES .*)
  file(INSTALL \${found} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib\" FOLLOW_SYMLINK_CHAIN)")

install(DIRECTORY configs DESTINATION share/transformer)

# The program itself writes its completion scripts.
install(CODE "
  set(share \"\${CMAKE_INSTALL_PREFIX}/share\")
  function(write_completion shell file)
    message(STATUS \"Installing: \${share}/\${file}\")
    set(staged \"\$ENV{DESTDIR}\${share}/\${file}\")
    get_filename_component(folder \"\${staged}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:transformer>\" completion \${shell}
      OUTPUT_FILE \"\${staged}\" COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${share}/\${file}\")
    set(CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_MANIFEST_FILES}\" PARENT_SCOPE)
  endfunction()
  write_completion(bash bash-completion/completions/transformer)
  write_completion(zsh zsh/site-functions/_transformer)
  write_completion(fish fish/vendor_completions.d/transformer.fish)")
