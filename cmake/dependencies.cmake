# Finds what the library is linked with. The build and the installed package both read this file:
# programs that link the static library need the same. Plain paths and no imported targets, which
# a project around this one would not see. octant_with_X is ON, OFF or, where a build may do
# without X, AUTO. Sets octant_libraries, octant_includes, octant_has_X and octant_missing, the
# names of what is needed and not there.
set(octant_libraries "")
set(octant_includes "")
set(octant_missing "")

# octant_need(NAME FOUND LIBRARIES INCLUDES): the names of variables that a search has set.
macro(octant_need name found libraries includes)
    if(${found})
        list(APPEND octant_libraries ${${libraries}})
        list(APPEND octant_includes ${${includes}})
        set(octant_has_${name} TRUE)
    elseif(NOT "${octant_with_${name}}" STREQUAL "AUTO")
        list(APPEND octant_missing ${name})
    endif()
endmacro()

# octant_need_module(NAME MODULE): the same, searched for by pkg-config.
macro(octant_need_module name module)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(octant_${name} QUIET ${module})
    endif()
    octant_need(${name} octant_${name}_FOUND octant_${name}_LINK_LIBRARIES
                octant_${name}_INCLUDE_DIRS)
endmacro()

find_package(OpenCL QUIET)
octant_need(OpenCL OpenCL_FOUND OpenCL_LIBRARIES OpenCL_INCLUDE_DIRS)
find_package(PkgConfig QUIET)
octant_need_module(libyaml yaml-0.1)
octant_need_module(xxHash libxxhash)
set(octant_has_HDF5 FALSE)
if(octant_with_HDF5)
    find_package(HDF5 QUIET COMPONENTS C)
    octant_need(HDF5 HDF5_FOUND HDF5_C_LIBRARIES HDF5_C_INCLUDE_DIRS)
endif()
set(octant_has_libpng FALSE)
if(octant_with_libpng)
    find_package(PNG QUIET)
    octant_need(libpng PNG_FOUND PNG_LIBRARIES PNG_INCLUDE_DIRS)
endif()
set(octant_has_libmicrohttpd FALSE)
if(octant_with_libmicrohttpd)
    octant_need_module(libmicrohttpd libmicrohttpd)
endif()
find_package(Threads QUIET)
octant_need(Threads Threads_FOUND CMAKE_THREAD_LIBS_INIT CMAKE_THREAD_INCLUDE_DIRS)
list(APPEND octant_libraries m ${CMAKE_DL_LIBS})
