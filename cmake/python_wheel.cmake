# What a Python wheel has of its own beside what `cmake --install` writes (pyproject.toml, scripts/wheel.sh).

# A wheel cannot hold symbolic links: the library has one name there.
set_property(TARGET transformer_library PROPERTY VERSION)
set_property(TARGET transformer_library PROPERTY SOVERSION)
configure_file(python/transformer.in python/transformer @ONLY)
install(PROGRAMS "${PROJECT_BINARY_DIR}/python/transformer" DESTINATION "${SKBUILD_SCRIPTS_DIR}")
