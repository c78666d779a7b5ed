#===- assemble_page.cmake - a page of docs/ with what it includes ---------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
#
#   cmake -DPAGE=in.md -DREFERENCES=folder -DOUTPUT=out.md -P assemble_page.cmake
#
# Replaces each line `[include "X.md"]` by REFERENCES/X.md.

file(READ ${PAGE} text)
string(REGEX MATCHALL "\n\\[include \"[^\"\n]+\"\\]\n" lines "${text}")
foreach(line IN LISTS lines)
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" name "${line}")
  file(READ ${REFERENCES}/${name} included)
  string(REPLACE "${line}" "\n${included}\n" text "${text}")
endforeach()
file(WRITE ${OUTPUT} "${text}")
