# What a Python wheel has of its own beside what `cmake --install` writes (pyproject.toml, scripts/wheel.sh).

# A wheel cannot hold symbolic links: the library has one name there.
set_property(TARGET transformer_library PROPERTY VERSION)
set_property(TARGET transformer_library PROPERTY SOVERSION)
configure_file(python/transformer.in python/transformer @ONLY)
install(PROGRAMS "${PROJECT_BINARY_DIR}/python/transformer" DESTINATION "${SKBUILD_SCRIPTS_DIR}")

# Other systems do not keep the licences where Debian does; what is made there is for the system itself.
if(EXISTS /etc/debian_version)
  install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/scripts/copy_licenses.sh\"
    \"\${CMAKE_INSTALL_PREFIX}/licenses\" COMMAND_ERROR_IS_FATAL ANY)")
endif()
