# How every library, program and test of Sluice is built.

add_library(sluice_options INTERFACE)
target_compile_options(sluice_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wformat=2 -Wimplicit-fallthrough -Werror)
# The headers of other projects are not ours to mend; ours are included from src/.
target_include_directories(sluice_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
# fmt's inlined buffers set off this one falsely in GCC 12's optimizer.
target_compile_options(sluice_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_definitions(sluice_options INTERFACE _FORTIFY_SOURCE=$<IF:$<CONFIG:Debug>,0,2>)
# Code that a program does not use would be part of its memory all the same.
target_compile_options(sluice_options INTERFACE
  $<$<CONFIG:RelWithDebInfo>:-ffunction-sections> $<$<CONFIG:RelWithDebInfo>:-fdata-sections>)
target_link_options(sluice_options INTERFACE $<$<CONFIG:RelWithDebInfo>:-Wl,--gc-sections>)
if(SLUICE_SANITIZE)
  target_compile_options(sluice_options INTERFACE
    -fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sluice_options INTERFACE -fsanitize=${SLUICE_SANITIZE})
endif()

# sluice_library(folder SOURCES a.cc … [DEPENDS base …] [LINK PkgConfig::X …])
# DEPENDS are folders of Sluice, LINK libraries of others. All links are private: who uses a folder says so.
function(sluice_library folder)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  string(REPLACE "/" "_" name "sluice_${folder}")
  string(REPLACE "-" "_" name "${name}")
  add_library(${name} STATIC ${arg_SOURCES})
  list(TRANSFORM arg_DEPENDS PREPEND sluice_)
  target_link_libraries(${name} PRIVATE sluice_options ${arg_DEPENDS} ${arg_LINK})
endfunction()

# sluice_program(name SOURCES main.cc DEPENDS daemon …)
function(sluice_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  list(TRANSFORM arg_DEPENDS PREPEND sluice_)
  target_link_libraries(${name} PRIVATE sluice_options ${arg_DEPENDS} ${arg_LINK})
endfunction()

# sluice_test(name SOURCES a_test.cc … DEPENDS limiter … [LABEL unit])
function(sluice_test name)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;DEPENDS;LINK" ${ARGN})
  sluice_program(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS}
    LINK ${arg_LINK} GTest::gtest GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  gtest_discover_tests(${name} TEST_PREFIX "${name}/" DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 300)
endfunction()

# Clang's check of vtables opens a pipe to look at memory: it takes an object for none while no descriptor is left, which
# is what some tests of net/ bring about. (A library of its own, since its option must come after the others'.)
add_library(sluice_vtables_unchecked INTERFACE)
if(SLUICE_SANITIZE MATCHES "undefined")
  target_compile_options(sluice_vtables_unchecked INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=vptr>)
endif()
function(sluice_without_vtable_check name)
  target_link_libraries(${name} PRIVATE sluice_vtables_unchecked)
endfunction()
