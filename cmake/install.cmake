# The libraries with their headers, pkg-config files and CMake package, and the binary beside them.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/octant)

# The binary finds the library, and the pkg-config files their prefix, wherever both are moved to.
file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
set_target_properties(octant PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

# What the static library is linked with, as a linker wants it: -lfoo, and -L where it would not
# look by itself.
set(pc_private "")
foreach(library IN LISTS octant_libraries)
    if(library MATCHES "^(.*)/lib([^/]+)\\.(so|a)$")
        set(folder ${CMAKE_MATCH_1})
        set(library -l${CMAKE_MATCH_2})
        if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
            list(APPEND pc_private -L${folder})
        endif()
    elseif(NOT library MATCHES "^[-/]")
        set(library -l${library})
    endif()
    list(APPEND pc_private ${library})
endforeach()
list(REMOVE_DUPLICATES pc_private)
list(JOIN pc_private " " pc_private)
foreach(name IN ITEMS octant octant-static)
    configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/octantConfigVersion.cmake
                                 COMPATIBILITY ${octant_compatible})
configure_file(cmake/octantConfig.cmake.in ${PROJECT_BINARY_DIR}/octantConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/octantConfig.cmake
              ${PROJECT_BINARY_DIR}/octantConfigVersion.cmake DESTINATION ${package_dir})
install(FILES cmake/dependencies.cmake DESTINATION ${package_dir} RENAME octantDependencies.cmake)
install(EXPORT octant FILE octantShared.cmake NAMESPACE octant:: DESTINATION ${package_dir})
install(EXPORT octant_static FILE octantStatic.cmake NAMESPACE octant::
        DESTINATION ${package_dir})

install(TARGETS octant EXPORT octant LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS octant_static EXPORT octant_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/octant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(OCT_CLI)
    set_target_properties(octant_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
    install(TARGETS octant_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
