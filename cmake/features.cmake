# Features that need a library of others, which a build may do without.
set(octant_features hdf5 png viewer mpi)
set(octant_feature_hdf5 HDF5 libhdf5-dev OCT_WITH_HDF5
    "snapshots and checkpoints can be neither written nor read, CSV files can"
    src/io/h5_absent
    "src/io/(h5(_mold|_write)?|[a-z]+_h5|checkpoint(_parts)?|gadget_write|snapshot(_read)?)")
set(octant_feature_png libpng libpng-dev OCT_WITH_PNG
    "pictures cannot be drawn, films can"
    src/render/png_absent src/render/png)
set(octant_feature_viewer libmicrohttpd libmicrohttpd-dev OCT_WITH_VIEWER
    "nothing can be shown in a browser"
    src/view/view_absent "src/view/[a-z_]+")
set(octant_feature_mpi MPI libopenmpi-dev OCT_WITH_MPI
    "a simulation can be shared among threads, but not among processes"
    src/cluster/mpi_absent src/cluster/mpi)

# octant_choose_features(DIRECTORY SOURCES): writes the table of them, and takes out of SOURCES what
# this build has no use for: where a library is missing the files that need it, else the one that
# stands in for them.
function(octant_choose_features directory sources)
    set(text "#include \"util/feature.h\"\n\nconst oct_feature oct_features[] = {\n")
    foreach(name IN LISTS octant_features)
        list(GET octant_feature_${name} 0 library)
        list(GET octant_feature_${name} 1 package)
        list(GET octant_feature_${name} 2 option)
        list(GET octant_feature_${name} 3 missed)
        list(GET octant_feature_${name} 4 absent)
        list(GET octant_feature_${name} 5 present)
        list(FILTER ${sources} EXCLUDE REGEX "/${absent}\\.c$")
        if(octant_has_${library})
            set(there true)
        else()
            set(there false)
            list(FILTER ${sources} EXCLUDE REGEX "/${present}\\.c$")
            list(APPEND ${sources} ${PROJECT_SOURCE_DIR}/${absent}.c)
            message(STATUS "Octant without ${library}: ${missed}")
        endif()
        string(APPEND text "    {\"${name}\", ${there}, \"${library}\", \"${package}\", "
                           "\"${option}\",\n     \"${missed}\"},\n")
    endforeach()
    file(GENERATE OUTPUT ${directory}/features.c CONTENT "${text}    {0}};\n")
    set(${sources} ${${sources}} PARENT_SCOPE)
endfunction()
