# SPDX-License-Identifier: MIT
# Run at every build: writes version.cpp anew when the commit has changed, and only then.
#   cmake -DSOURCE=... -DOUTPUT=... -DVERSION=... -P version.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=7 --exclude *
                OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(COMMIT "no git commit known")
else()
  set(COMMIT "commit ${COMMIT}")
endif()
configure_file(${SOURCE}/config/version.cpp.in ${OUTPUT} @ONLY)
