# SPDX-License-Identifier: BSD-3-Clause
# The steps of the install test; its variables come from CMakeLists.txt beside it.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

set(prefix ${SCRATCH_DIR}/prefix)
set(build ${SCRATCH_DIR}/build)
file(REMOVE_RECURSE ${SCRATCH_DIR})

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --config ${BUILD_TYPE})
run(${CMAKE_COMMAND} -S ${CLIENT_DIR} -B ${build} -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
  -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_COMPILER_LAUNCHER} -DWITH_MUELU=${WITH_MUELU})
run(${CMAKE_COMMAND} --build ${build} --config ${BUILD_TYPE})
foreach(client main grid markov)
  run(${RUN} ${build}/client_${client})
endforeach()
if(WITH_MUELU)
  run(${RUN} ${build}/muelu/client_muelu)
endif()

# A plain line of the compiler, by pkg-config.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  run(${PKG_CONFIG} --exact-version=${VERSION} trident)
  file(MAKE_DIRECTORY ${SCRATCH_DIR}/plain)
  foreach(client main markov)
    run(sh -c "${CXX_COMPILER} ${CXX_FLAGS} -D FOUND_VERSION='\"${VERSION}\"' \\
      ${CLIENT_DIR}/${client}.cpp $(${PKG_CONFIG} --cflags --libs trident) -o ${SCRATCH_DIR}/plain/${client}")
    run(${RUN} ${SCRATCH_DIR}/plain/${client})
  endforeach()
else()
  message("without pkg-config: trident.pc was not tried")
endif()

# Licence and pages, and no laboratory notebook.
set(pages ${prefix}/share/doc/trident)
foreach(page LICENSE README.md CHANGELOG.md doc/driver.md doc/clustering.md)
  if(NOT EXISTS ${pages}/${page})
    message(FATAL_ERROR "${pages}/${page} is missing")
  endif()
endforeach()
if(EXISTS ${pages}/doc/results)
  message(FATAL_ERROR "${pages}/doc/results was installed")
endif()

# Programs under both of their names, where the installation has moved to, and after a second one.
if(WITH_PROGRAMS)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --config ${BUILD_TYPE})
  file(RENAME ${prefix} ${prefix}-moved)
  foreach(program SpGEMM:spgemm MarkovClustering:mcl Predict:predict)
    string(REGEX MATCH "^(.*):(.*)$" matched ${program})
    set(name ${prefix}-moved/bin/trident-${CMAKE_MATCH_2})
    set(old ${prefix}-moved/bin/Trident_${CMAKE_MATCH_1}.exe)
    if(IS_SYMLINK ${name} OR NOT IS_SYMLINK ${old})
      message(FATAL_ERROR "${name} should be a program, and ${old} a link to it")
    endif()
    run(${name} --version)
    run(${old} --version)
  endforeach()
  run(${RUN} ${prefix}-moved/bin/trident-spgemm --A=er:n=500,d=6 --verify)
  run(${RUN} ${prefix}-moved/bin/trident-mcl ${NETWORK} -o -)
  run(${prefix}-moved/bin/trident-predict --A=er:n=500,d=6
    --machine=${prefix}-moved/share/trident/machines/h200-host.json)
endif()
