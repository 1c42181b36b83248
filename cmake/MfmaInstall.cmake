# What `cmake --install` lays down, and the Debian package. Included after the program's target.

# The manual page as Debian keeps it, and the completions, which the program writes itself.
find_program(MFMA_GZIP gzip REQUIRED)
set(made "${PROJECT_BINARY_DIR}/installed")
file(MAKE_DIRECTORY "${made}")
add_custom_command(OUTPUT "${made}/mfma-conform.1.gz"
  COMMAND sh -c "\"$0\" -9nc \"$1\" >\"$2\"" "${MFMA_GZIP}" "${PROJECT_SOURCE_DIR}/docs/mfma-conform.1" "${made}/mfma-conform.1.gz"
  DEPENDS "${PROJECT_SOURCE_DIR}/docs/mfma-conform.1" VERBATIM)
set(completions "")
foreach(shell IN ITEMS bash zsh fish)
  add_custom_command(OUTPUT "${made}/mfma-conform.${shell}"
    COMMAND sh -c "\"$0\" documentation --format \"$1\" >\"$2\"" "$<TARGET_FILE:mfma-conform>" ${shell} "${made}/mfma-conform.${shell}"
    DEPENDS mfma-conform VERBATIM)
  list(APPEND completions "${made}/mfma-conform.${shell}")
endforeach()
add_custom_target(installed_files ALL DEPENDS "${made}/mfma-conform.1.gz" ${completions})

# harness/cli/commands/data.cc looks for PREFIX/share/mfma-conform from PREFIX/bin.
set(share "${CMAKE_INSTALL_DATAROOTDIR}")
install(TARGETS mfma-conform RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY corpus/profiles corpus/waivers corpus/cases DESTINATION "${share}/mfma-conform")
if(EXISTS "${PROJECT_SOURCE_DIR}/reports/schema")
  install(DIRECTORY reports/schema DESTINATION "${share}/mfma-conform")
endif()
install(FILES "${made}/mfma-conform.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${made}/mfma-conform.bash" DESTINATION "${share}/bash-completion/completions" RENAME mfma-conform)
install(FILES "${made}/mfma-conform.zsh" DESTINATION "${share}/zsh/vendor-completions" RENAME _mfma-conform)
install(FILES "${made}/mfma-conform.fish" DESTINATION "${share}/fish/vendor_completions.d")
install(FILES README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.yml")

# `cpack` packs what is built: it does not build the tests first. scripts/package builds what is needed.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the mfma-conform authors <mfma-conform@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"Compiles every dense MFMA builtin of AMD's gfx950 with the compiler under test,
runs the machine code on a GPU or on an emulated device, and compares every bit
of the results with an independent oracle.")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The libraries that the program really links, with the versions it needs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# A compiler is needed for most commands, but it may be any that knows gfx950.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-22, lld-22")
include(CPack)
