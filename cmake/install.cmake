# The library with its header, pkg-config file and CMake package, and the binary beside it.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/octant)

# The binary finds the library, and the pkg-config file its prefix, wherever both are moved to.
file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
set_target_properties(octant_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
set_target_properties(octant PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
configure_file(cmake/octant.pc.in ${PROJECT_BINARY_DIR}/octant.pc @ONLY)

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/octantConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)

install(TARGETS octant EXPORT octant LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS octant_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/octant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/octant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/octantConfigVersion.cmake DESTINATION ${package_dir})
# The package needs no more than the target: its libraries are the shared library's own affair.
install(EXPORT octant FILE octantConfig.cmake NAMESPACE octant:: DESTINATION ${package_dir})
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
