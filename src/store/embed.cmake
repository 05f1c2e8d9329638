# Embeds migrations/NNNN_name.sql into nightjar_store as the table that src/store/migration.hpp declares.
file(GLOB migration_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/migrations/*.sql)
list(SORT migration_files)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${migration_files})
set(migration_rows "")
foreach(migration_file IN LISTS migration_files)
  cmake_path(GET migration_file STEM migration_name)
  string(REGEX MATCH "^0*([0-9]+)_" migration_number "${migration_name}")
  if(NOT migration_number)
    message(FATAL_ERROR "${migration_file}: a migration is named NNNN_what_it_does.sql")
  endif()
  set(migration_number ${CMAKE_MATCH_1})
  file(READ ${migration_file} migration_script)
  string(APPEND migration_rows "    {${migration_number}, R\"sql(${migration_script})sql\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/store/migrations.cpp @ONLY CONTENT
[[// Generated from migrations/*.sql.
#include "store/migration.hpp"

namespace nightjar::store {
namespace {
constexpr Migration embedded[] = {
@migration_rows@};
}  // namespace

std::span<const Migration> migrations() { return embedded; }

}  // namespace nightjar::store
]])
target_sources(nightjar_store PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/store/migrations.cpp)
