# Finds what the library is linked with. The build and the installed package both read this file:
# programs that link the static library need the same. Plain paths and no imported targets, which
# a project around this one would not see. Sets octant_libraries, octant_includes and
# octant_missing, the names of what is not there.
set(octant_libraries "")
set(octant_includes "")
set(octant_missing "")

# octant_need(NAME FOUND LIBRARIES INCLUDES): the names of variables that a search has set.
macro(octant_need name found libraries includes)
    if(${found})
        list(APPEND octant_libraries ${${libraries}})
        list(APPEND octant_includes ${${includes}})
    else()
        list(APPEND octant_missing ${name})
    endif()
endmacro()

find_package(OpenCL QUIET)
octant_need(OpenCL OpenCL_FOUND OpenCL_LIBRARIES OpenCL_INCLUDE_DIRS)
find_package(HDF5 QUIET COMPONENTS C)
octant_need(HDF5 HDF5_FOUND HDF5_C_LIBRARIES HDF5_C_INCLUDE_DIRS)
find_package(PNG QUIET)
octant_need(PNG PNG_FOUND PNG_LIBRARIES PNG_INCLUDE_DIRS)
find_package(PkgConfig QUIET)
foreach(module IN ITEMS yaml-0.1 libxxhash libmicrohttpd)
    string(MAKE_C_IDENTIFIER octant_${module} prefix)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(${prefix} QUIET ${module})
    endif()
    octant_need(${module} ${prefix}_FOUND ${prefix}_LINK_LIBRARIES ${prefix}_INCLUDE_DIRS)
endforeach()
find_package(Threads QUIET)
octant_need(Threads Threads_FOUND CMAKE_THREAD_LIBS_INIT CMAKE_THREAD_INCLUDE_DIRS)
list(APPEND octant_libraries m)
