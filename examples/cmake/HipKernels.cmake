# Builds AMDGPU code objects and fat binaries from HIP sources as part of a CMake project, without ROCm. Each function
# makes a custom target NAME whose property WAVECAST_FILES lists what it builds. The compiler call itself lives in
# compile_kernel.sh, which also works alone. Set WAVECAST_HIPCC to a ROCm compiler to use that instead.
#
#   wavecast_add_code_object(NAME SOURCE file.hip TARGETS gfx942 [gfx90a ...] [OPTIONS ...])
#       NAME.gfx942.co, NAME.gfx90a.co ... in the current binary folder: one bare code object per target.
#   wavecast_add_fat_binary(NAME SOURCE file.hip TARGETS gfx942 [...] [KIND fat-binary|object|program] [OPTIONS ...])
#       NAME.hipfb, NAME.o or bin/NAME: one file with all targets inside (an offload bundle, a host object, a program).

set(WAVECAST_HIPCC "" CACHE FILEPATH "HIP compiler of a ROCm installation to use for kernels; empty: clang++-22 with Debian's HIP packages")
foreach(candidate ${CMAKE_CURRENT_LIST_DIR}/../compile_kernel.sh ${CMAKE_CURRENT_LIST_DIR}/compile_kernel.sh)
  if(EXISTS ${candidate})
    get_filename_component(WAVECAST_COMPILE_KERNEL ${candidate} ABSOLUTE)
  endif()
endforeach()
get_filename_component(WAVECAST_HIP_PRELUDE ${WAVECAST_COMPILE_KERNEL}/../hip_prelude.h ABSOLUTE)

# One compiler call as a build rule. Paths in OPTIONS should be absolute.
function(wavecast_compile_hip output source targets kind options)
  set(command ${WAVECAST_COMPILE_KERNEL} ${source} ${targets} ${output} --kind ${kind}
              --bitcode-dir ${CMAKE_BINARY_DIR}/hip_bitcode --depfile ${output}.d)
  if(WAVECAST_HIPCC)
    list(APPEND command --hipcc ${WAVECAST_HIPCC})
  endif()
  add_custom_command(OUTPUT ${output} COMMAND ${command} -- ${options}
    DEPENDS ${source} ${WAVECAST_COMPILE_KERNEL} ${WAVECAST_HIP_PRELUDE} DEPFILE ${output}.d
    COMMENT "Compiling ${output}" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

function(wavecast_add_code_object name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "TARGETS;OPTIONS")
  wavecast_check_kernel_arguments(wavecast_add_code_object ${name})
  set(files)
  foreach(target ${arg_TARGETS})
    # Target features are part of the name; a colon is not welcome in build rules.
    string(REPLACE ":" "-" suffix ${target})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.${suffix}.co)
    wavecast_compile_hip(${output} ${arg_SOURCE} ${target} code-object "${arg_OPTIONS}")
    list(APPEND files ${output})
  endforeach()
  add_custom_target(${name} ALL DEPENDS ${files})
  set_target_properties(${name} PROPERTIES WAVECAST_FILES "${files}")
endfunction()

function(wavecast_add_fat_binary name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;KIND" "TARGETS;OPTIONS")
  wavecast_check_kernel_arguments(wavecast_add_fat_binary ${name})
  if(NOT arg_KIND)
    set(arg_KIND fat-binary)
  endif()
  set(file_fat-binary ${name}.hipfb)
  set(file_object ${name}.o)
  set(file_program bin/${name})
  if(NOT DEFINED file_${arg_KIND})
    message(FATAL_ERROR "wavecast_add_fat_binary(${name}): unknown KIND '${arg_KIND}' (fat-binary, object, program)")
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${file_${arg_KIND}})
  list(JOIN arg_TARGETS "," targets)
  wavecast_compile_hip(${output} ${arg_SOURCE} ${targets} ${arg_KIND} "${arg_OPTIONS}")
  add_custom_target(${name} ALL DEPENDS ${output})
  set_target_properties(${name} PROPERTIES WAVECAST_FILES "${output}")
endfunction()

# Shared checks; makes SOURCE absolute in the caller.
macro(wavecast_check_kernel_arguments function name)
  if(NOT arg_SOURCE OR NOT arg_TARGETS OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}(${name}): needs SOURCE and TARGETS; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  get_filename_component(arg_SOURCE ${arg_SOURCE} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
endmacro()
