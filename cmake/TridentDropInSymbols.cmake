# SPDX-License-Identifier: BSD-3-Clause
#
# What src/dropin takes the place of, as files: Tpetra's Multiply, Jacobi and MultiplyRAP of every set
# of types that a library has, read from its symbols by nm. For cmake/TridentDropIn.cmake, and, as a
# script, for the build inside Trilinos, which has these libraries only while it builds:
#
#   cmake -D FILES=<library>,... -D SETTINGS=<file> -P TridentDropInSymbols.cmake
#
# SETTINGS is a file of CMake that sets what the functions below read.

# Sets Trident_DROPIN_SYMBOLS and, as `<function> <symbol> <types>`, Trident_DROPIN_LINES.
function(trident_read_symbols file)
  get_filename_component(file ${file} REALPATH)
  set(dynamic)
  if(file MATCHES "[.]so")
    set(dynamic -D)
  endif()
  execute_process(COMMAND ${CMAKE_NM} ${dynamic} --defined-only ${file}
    OUTPUT_VARIABLE names ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL
    "_ZN6Tpetra[0-9A-Za-z_]*(8Multiply|6Jacobi|11MultiplyRAP)I[0-9A-Za-z_]*" names "${names}")
  list(REMOVE_DUPLICATES names)
  foreach(symbol IN LISTS names)
    execute_process(COMMAND ${Trident_CXXFILT} ${symbol} OUTPUT_VARIABLE text
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT text MATCHES
        "^void Tpetra::(MatrixMatrix|TripleMatrixMultiply)::(Multiply|Jacobi|MultiplyRAP)<")
      continue()
    endif()
    set(function ${CMAKE_MATCH_2})
    string(FIND "${text}" "<" begin)
    string(FIND "${text}" ">(" end)
    string(SUBSTRING "${text}" ${end} -1 arguments)
    math(EXPR begin "${begin} + 1")
    math(EXPR end "${end} - ${begin}")
    string(SUBSTRING "${text}" ${begin} ${end} types)
    if(NOT arguments MATCHES "CrsMatrix" OR arguments MATCHES "BlockCrsMatrix")
      continue()
    endif()
    list(APPEND Trident_DROPIN_SYMBOLS ${symbol})
    list(APPEND Trident_DROPIN_LINES "${function} ${symbol} ${types}")
  endforeach()
  set(Trident_DROPIN_SYMBOLS ${Trident_DROPIN_SYMBOLS} PARENT_SCOPE)
  set(Trident_DROPIN_LINES ${Trident_DROPIN_LINES} PARENT_SCOPE)
endfunction()

# Sets these two and Trident_TPETRA_LIBRARY: the first of the files that has such symbols.
macro(trident_find_symbols)
  set(Trident_DROPIN_SYMBOLS)
  set(Trident_DROPIN_LINES)
  foreach(file ${ARGN})
    trident_read_symbols(${file})
    if(Trident_DROPIN_SYMBOLS)
      set(Trident_TPETRA_LIBRARY ${file})
      break()
    endif()
  endforeach()
endmacro()

# The source that defines them.
function(trident_write_dropin_symbols source)
  string(CONCAT text
    "// Written by cmake/TridentDropInSymbols.cmake from the symbols of ${Trident_TPETRA_LIBRARY}.\n"
    "#include \"dropin/Trident_DropInSymbols.hpp\"\n\nnamespace Trident::Impl {\n")
  set(number 0)
  foreach(line IN LISTS Trident_DROPIN_LINES)
    string(REGEX MATCH "^([^ ]+) ([^ ]+) (.*)$" matched "${line}")
    string(APPEND text
      "TRIDENT_DROPIN_${CMAKE_MATCH_1}(${number}, \"${CMAKE_MATCH_2}\", ${CMAKE_MATCH_3})\n")
    math(EXPR number "${number} + 1")
  endforeach()
  string(APPEND text "}  // namespace Trident::Impl\n")
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
endfunction()

# What libtrident_dropin.so shows. Whether a thread is inside such a call is one for all libraries of
# this kind in a process. Teuchos' timers are one map for the process, which its headers' templates
# define in every library; so is, in Kokkos 5, whether this thread counts references.
function(trident_write_version_script file)
  list(JOIN Trident_DROPIN_SYMBOLS ";\n    " lines)
  file(CONFIGURE OUTPUT ${file} CONTENT "{
  global:
    ${lines};
    trident_tpetra_inside;
    _ZN7Teuchos22PerformanceMonitorBaseINS_4TimeEE9counters_*;
    _ZGVN7Teuchos22PerformanceMonitorBaseINS_4TimeEE9counters_*;
    _ZN6Kokkos4Impl22SharedAllocationRecordIvvE18t_tracking_enabledE;
  local:
    *;
};
")
endfunction()

# Sets `result` to the linker's options for libtrident_dropin_static.a, after those that follow it, and
# writes them. What is wrapped is also asked for, as archives come in any order.
function(trident_write_wrap_options file result)
  set(options ${Trident_DROPIN_SYMBOLS})
  list(TRANSFORM options REPLACE "(.+)" "--wrap=\\1;--undefined=__wrap_\\1")
  list(APPEND options ${ARGN})
  list(JOIN options "\n" lines)
  file(CONFIGURE OUTPUT ${file} CONTENT "${lines}\n")
  set(${result} ${options} PARENT_SCOPE)
endfunction()

# trident-try, in the folder of the library and, for the installation, below it: each finds the
# library from its own place, the installed one by the path after `template`.
function(trident_write_try folder template installed_library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${Trident_TPETRA_LIBRARY} OUTPUT_VARIABLE dynamic)
  string(REGEX MATCH "SONAME[^[]*.([^]]*)" matched "${dynamic}")
  set(tpetra_soname ${CMAKE_MATCH_1})
  set(executable OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
  set(library libtrident_dropin.so)
  configure_file(${template} ${folder}/trident-try @ONLY FILE_PERMISSIONS ${executable})
  set(library ${installed_library})
  configure_file(${template} ${folder}/installed/trident-try @ONLY FILE_PERMISSIONS ${executable})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  include(${SETTINGS})
  string(REPLACE "," ";" files "${FILES}")
  trident_find_symbols(${files})
  if(NOT Trident_DROPIN_SYMBOLS)
    message(FATAL_ERROR "No products were found in Tpetra's libraries (${files}), so there is nothing "
      "to take the place of: configure with -DTrident_ENABLE_DROPIN=OFF")
  endif()
  # Written anew always: they must be younger than the libraries.
  file(REMOVE ${FOLDER}/Trident_DropInSymbols.cpp ${FOLDER}/symbols.map
    ${FOLDER}/dropin_static.wrap)
  trident_write_dropin_symbols(${FOLDER}/Trident_DropInSymbols.cpp)
  trident_write_version_script(${FOLDER}/symbols.map)
  trident_write_wrap_options(${FOLDER}/dropin_static.wrap options ${EXPORTS})
  if(IS_SHARED)
    trident_write_try(${FOLDER} ${TEMPLATE} ${INSTALLED_LIBRARY})
  endif()
endif()
