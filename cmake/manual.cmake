# The manual pages and the completions for shells, printed by the binary from its own tables.
set(manual_dir ${PROJECT_BINARY_DIR}/manual)
set(manual_files "")

# octant_printed(FILE FOLDER ARGUMENT...): what `octant help ARGUMENT...` prints, and where it goes.
function(octant_printed file folder)
    get_filename_component(parent ${manual_dir}/${file} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    add_custom_command(OUTPUT ${manual_dir}/${file}
                       COMMAND octant_cli help ${ARGN} > ${manual_dir}/${file}
                       DEPENDS octant_cli COMMENT "Printing ${file}" VERBATIM)
    list(APPEND manual_files ${manual_dir}/${file})
    set(manual_files ${manual_files} PARENT_SCOPE)
    if(OCT_INSTALL)
        install(FILES ${manual_dir}/${file} DESTINATION ${folder})
    endif()
endfunction()

octant_printed(octant.1 ${CMAKE_INSTALL_MANDIR}/man1 --man)
octant_printed(octant-scene.5 ${CMAKE_INSTALL_MANDIR}/man5 --man scene)
file(GLOB commands CONFIGURE_DEPENDS cli/cmd_*.c)
foreach(command IN LISTS commands)
    string(REGEX REPLACE ".*/cmd_(.*)\\.c" "\\1" command ${command})
    octant_printed(octant-${command}.1 ${CMAKE_INSTALL_MANDIR}/man1 --man ${command})
endforeach()
octant_printed(bash/octant ${CMAKE_INSTALL_DATADIR}/bash-completion/completions --completion bash)
octant_printed(zsh/_octant ${CMAKE_INSTALL_DATADIR}/zsh/site-functions --completion zsh)
octant_printed(fish/octant.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
               --completion fish)
add_custom_target(octant_manual ALL DEPENDS ${manual_files})
