# The page, style and script of the HTML report as a source file. The scripts are one text, in this order: what a later
# one uses an earlier one defines.
function(mfma_html_assets out)
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
  set(scripts text.js model.js units.js matrix.js lanes.js finding.js findings.js page.js)
  set(files page.html style.css ${scripts})
  list(TRANSFORM files PREPEND "${folder}/")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})

  file(READ "${folder}/page.html" MFMA_HTML_PAGE)
  file(READ "${folder}/style.css" MFMA_HTML_STYLE)
  # One scope for all, so that nothing of it is global.
  set(MFMA_HTML_SCRIPT "'use strict';\n(() => {\n")
  foreach(script IN LISTS scripts)
    file(READ "${folder}/${script}" text)
    string(APPEND MFMA_HTML_SCRIPT "${text}")
  endforeach()
  string(APPEND MFMA_HTML_SCRIPT "})();\n")
  string(SHA256 MFMA_HTML_STYLE_SHA256 "${MFMA_HTML_STYLE}")
  string(SHA256 MFMA_HTML_SCRIPT_SHA256 "${MFMA_HTML_SCRIPT}")
  configure_file("${folder}/assets.cc.in" "${CMAKE_CURRENT_BINARY_DIR}/html_assets.cc" @ONLY)
  set(${out} "${CMAKE_CURRENT_BINARY_DIR}/html_assets.cc" PARENT_SCOPE)
endfunction()
