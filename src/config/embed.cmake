# Puts every config/drivers/*.toml into the binary. Included, it adds the generated source to nightjar_config; run as a script
# (cmake -DOUTPUT=... -DSOURCES=a,b -P embed.cmake) it writes that source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB driver_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/config/drivers/*.toml)
  list(SORT driver_files)
  list(JOIN driver_files "," joined_driver_files)
  set(embedded_source ${CMAKE_CURRENT_BINARY_DIR}/config/embedded.cpp)
  add_custom_command(
    OUTPUT ${embedded_source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded_source} -DSOURCES=${joined_driver_files} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${driver_files} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Embedding the driver files"
    VERBATIM)
  target_sources(nightjar_config PRIVATE ${embedded_source})
  return()
endif()

string(REPLACE "," ";" SOURCES "${SOURCES}")
set(entries "")
foreach(source IN LISTS SOURCES)
  get_filename_component(name "${source}" NAME_WE)
  # Lists of CMake eat semicolons, so the text goes from file to file in one quoted variable.
  file(READ "${source}" toml)
  string(APPEND entries "    {\"${name}\", R\"nightjar(${toml})nightjar\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"config/embedded.hpp\"

namespace nightjar::config {
namespace {

constexpr EmbeddedFile files[] = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return files; }

}  // namespace nightjar::config
")
