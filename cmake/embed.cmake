# Embeds files into a C source as a NULL-terminated list of {name, bytes, length}.
set(OCTANT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_script.cmake)

# octant_embed(OUTPUT SYMBOL PATTERN... [ROOT DIR FILE...])
function(octant_embed output symbol)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ROOT")
    file(GLOB files CONFIGURE_DEPENDS ${arg_UNPARSED_ARGUMENTS})
    set(pairs "")
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME)
        string(REGEX REPLACE "\\.yaml$" "" name ${name}) # scenes are called without the ending
        list(APPEND pairs "${name}=${file}")
    endforeach()
    if(arg_ROOT)
        list(POP_FRONT arg_ROOT root)
        foreach(name IN LISTS arg_ROOT)
            list(APPEND pairs "${name}=${root}/${name}")
            list(APPEND files "${root}/${name}")
        endforeach()
    endif()
    list(JOIN pairs "|" pairs)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} "-DPAIRS=${pairs}"
                -P ${OCTANT_EMBED_SCRIPT}
        DEPENDS ${files} ${OCTANT_EMBED_SCRIPT}
        COMMENT "Embedding ${symbol}" VERBATIM)
endfunction()
