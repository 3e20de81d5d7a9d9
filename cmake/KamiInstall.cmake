# The installed package: every room's library, the headers with what is generated
# from ODS, and a KamiConfig.cmake, so that find_package(Kami) gives kami::KamiPlan
# and its kin. The tools add themselves to the same export set.

include(CMakePackageConfigHelpers)

set(KAMI_CMAKE_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kami)

get_property(kami_libraries GLOBAL PROPERTY KAMI_LIBRARIES)
install(TARGETS kami_flags ${kami_libraries}
  EXPORT KamiTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kami
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/kami
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc"
  PATTERN "CMakeFiles" EXCLUDE)

install(EXPORT KamiTargets NAMESPACE kami:: DESTINATION ${KAMI_CMAKE_DESTINATION})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/KamiConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/KamiConfig.cmake
  INSTALL_DESTINATION ${KAMI_CMAKE_DESTINATION}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/KamiConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/KamiConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/KamiConfigVersion.cmake
  DESTINATION ${KAMI_CMAKE_DESTINATION})
