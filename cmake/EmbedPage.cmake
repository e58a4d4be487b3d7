# Makes one .cc of the admin page: index.html with style.css and script.js put where it refers to them, and the
# Content-Security-Policy that names both by their SHA-256, so that a browser runs nothing else.
#
# Run at build: cmake -DPAGE=<folder of index.html> -DOUTPUT=<file.cc> -P EmbedPage.cmake

set(max_bytes 40960)

# Sets `out` to the base64 form of the bytes that `hex` spells: CMake can hash, but only into hex.
function(base64_of_hex hex out)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(result "")
  string(LENGTH "${hex}" length)
  foreach(start RANGE 0 ${length} 6)
    string(SUBSTRING "${hex}" ${start} 6 group)  # three bytes are four letters
    string(LENGTH "${group}" digits)
    if(digits EQUAL 0)
      break()
    endif()
    string(SUBSTRING "${group}00000" 0 6 padded)
    math(EXPR bits "0x${padded}")
    math(EXPR letters "${digits} * 4 / 6 + 1")
    if(digits EQUAL 6)
      set(letters 4)
    endif()
    foreach(index RANGE 0 3)
      if(index LESS letters)
        math(EXPR letter "(${bits} >> (18 - 6 * ${index})) & 63")
        string(SUBSTRING "${alphabet}" ${letter} 1 character)
      else()
        set(character "=")
      endif()
      string(APPEND result "${character}")
    endforeach()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# Replaces `reference`, which the document must hold once, by the text between `open` and `close`. Sets `hash` to what the
# policy calls that text.
function(put_in reference open text close hash)
  string(FIND "${document}" "${reference}" first)
  string(FIND "${document}" "${reference}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "index.html must hold ${reference} once")
  endif()
  string(REPLACE "${reference}" "${open}${text}${close}" document "${document}")
  set(document "${document}" PARENT_SCOPE)
  string(SHA256 hex "${text}")
  base64_of_hex(${hex} encoded)
  set(${hash} "'sha256-${encoded}'" PARENT_SCOPE)
endfunction()

file(READ ${PAGE}/index.html document)
file(READ ${PAGE}/style.css style)
file(READ ${PAGE}/script.js script)
foreach(part style script)
  string(TOLOWER "${${part}}" lower)
  if(lower MATCHES "</${part}|<!--")
    message(FATAL_ERROR "the ${part} of the page would end its element too early")
  endif()
endforeach()
put_in("<link rel=\"stylesheet\" href=\"style.css\">" "<style>" "${style}" "</style>" style_hash)
put_in("<script src=\"script.js\" defer></script>" "<script>" "${script}" "</script>" script_hash)
string(LENGTH "${document}" bytes)
if(bytes GREATER ${max_bytes})
  message(FATAL_ERROR "the page has ${bytes} bytes, more than ${max_bytes}")
endif()
if(document MATCHES "\\)page\"")
  message(FATAL_ERROR "the page holds the end of a raw string")
endif()

# In pieces, because compilers limit the length of a literal. A piece may end inside a character, but not a line.
string(REPLACE "\n</" ")page\"\nR\"page(\n</" document "${document}")
string(CONCAT policy
  "default-src 'none'; connect-src 'self'; img-src data:; style-src ${style_hash}; script-src ${script_hash}; "
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
file(WRITE ${OUTPUT} "// Made from src/server/admin/page/ by cmake/EmbedPage.cmake.
#include \"server/admin/page.h\"

#include <string_view>

namespace sluice::server {

std::string_view page_document() {
return R\"page(${document})page\";
}

std::string_view page_policy() {
return \"${policy}\";
}

}  // namespace sluice::server
")
