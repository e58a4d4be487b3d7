# Makes one .cc of the Lua scripts: for each script the concatenation of its parts, as a string, and its SHA-1, by
# which EVALSHA knows it.
#
# Run at build: cmake -DSCRIPTS=<folder of .lua> -DOUTPUT=<file.cc> -P EmbedScripts.cmake
# Included by a CMakeLists.txt it only lists the parts, for the build to depend on.

set(SLUICE_COUNTER_PARTS common token_bucket fixed_window sliding_log sliding_counter stored)
set(SLUICE_SCRIPT_PARTS ${SLUICE_COUNTER_PARTS} lease give_back peek reset rebook members attach announce)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# Appends to `text` the function that returns the script of these parts, one after another. One literal a part: compilers
# limit their length.
function(embed name)
  set(whole "")
  set(literals "")
  foreach(part ${ARGN})
    file(READ ${SCRIPTS}/${part}.lua source)
    if(source MATCHES "\\)lua\"")
      message(FATAL_ERROR "${part}.lua holds the end of a raw string")
    endif()
    string(APPEND whole "${source}")
    string(APPEND literals "R\"lua(${source})lua\"\n")
  endforeach()
  string(SHA1 sha1 "${whole}")
  string(APPEND text "ScriptText ${name}() {\nreturn {.name = \"${name}\", .sha1 = \"${sha1}\", .source =\n${literals}};\n}\n\n")
  set(text "${text}" PARENT_SCOPE)
endfunction()

set(text "// Made from src/store/redis/scripts/*.lua by cmake/EmbedScripts.cmake.\n")
string(APPEND text "#include \"store/redis/script_sources.h\"\n\nnamespace sluice::store::redis::embedded {\n\n")
embed(attach members attach)
embed(announce members announce)
embed(lease ${SLUICE_COUNTER_PARTS} lease)
embed(give_back ${SLUICE_COUNTER_PARTS} give_back)
embed(peek ${SLUICE_COUNTER_PARTS} peek)
embed(reset ${SLUICE_COUNTER_PARTS} reset)
embed(rebook ${SLUICE_COUNTER_PARTS} rebook)
string(APPEND text "}  // namespace sluice::store::redis::embedded\n")
file(WRITE ${OUTPUT} "${text}")
