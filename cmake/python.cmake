# What the Python package holds beside its sources: the binding, which is made from the public
# header; the library and the binary; and what these need beside glibc. libOpenCL belongs to the
# machine: a copy lies in a folder of its own, for machines without one.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(binding ${PROJECT_BINARY_DIR}/generated/_binding.py)
add_custom_command(
    OUTPUT ${binding}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/make_binding.py
            ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR}/include/octant/octant.h ${binding}
    DEPENDS ${PROJECT_SOURCE_DIR}/python/make_binding.py ${public_headers}
    COMMENT "Making the Python binding" VERBATIM)
add_custom_target(octant_binding ALL DEPENDS ${binding})
install(FILES ${binding} DESTINATION octant COMPONENT python)
# The renderer of the viewer's page, for the widget in notebooks.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/view/page/ DESTINATION octant/page COMPONENT python
        FILES_MATCHING PATTERN *.js)

# The old kind of rpath is that of what a library needs as well: copies are used as they are.
target_link_options(octant PRIVATE -Wl,--disable-new-dtags)
target_link_options(octant_cli PRIVATE -Wl,--disable-new-dtags)
# One file: a wheel has no links.
set_target_properties(octant PROPERTIES VERSION ${octant_abi} INSTALL_RPATH "$ORIGIN"
                      INSTALL_RPATH_USE_LINK_PATH OFF)
set_target_properties(octant_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS octant LIBRARY DESTINATION octant/lib COMPONENT python NAMELINK_SKIP)
install(TARGETS octant_cli RUNTIME DESTINATION octant/bin COMPONENT python)
install(CODE "set(octant_library \"$<TARGET_FILE:octant>\")" COMPONENT python)
install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${octant_library} RESOLVED_DEPENDENCIES_VAR found
         PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|mvec|pthread|dl|rt|resolv|util|anl|nsl)\\.so")
    set(target ${CMAKE_INSTALL_PREFIX}/octant)
    if(DEFINED ENV{DESTDIR})
        set(target $ENV{DESTDIR}${target})
    endif()
    file(MAKE_DIRECTORY ${target}/lib ${target}/loader)
    foreach(path IN LISTS found)
        get_filename_component(name ${path} NAME)
        set(folder lib)
        if(name MATCHES "^libOpenCL\\.")
            set(folder loader)
        endif()
        file(COPY_FILE ${path} ${target}/${folder}/${name})
    endforeach()
]] COMPONENT python)
