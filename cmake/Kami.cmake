# How this project builds: one object of flags, one function for a library, one for a tool.

# A precompiled header is larger than what ccache would keep of all objects.
find_program(KAMI_CCACHE ccache)
if(KAMI_CCACHE AND NOT KAMI_PRECOMPILE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KAMI_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${KAMI_CCACHE})
endif()

add_library(kami_flags INTERFACE)
target_include_directories(kami_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(kami_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
# LLVM is built without run-time type information and exceptions; a class derived
# from one of its own links only if we are too.
target_compile_options(kami_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions>)
target_compile_options(kami_flags INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers>)
if(KAMI_WERROR)
  target_compile_options(kami_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
if(KAMI_SANITIZE)
  target_compile_options(kami_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined -fno-sanitize=vptr>)
  target_link_options(kami_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined>)
  set(KAMI_SANITIZER_OPTIONS ${CMAKE_CURRENT_LIST_DIR}/sanitizer.cpp)
endif()

# Distributions build MLIR's archives against the shared libLLVM, and say so in
# their exported targets. For a binary that needs no LLVM on its machine, what is
# called LLVM becomes the archives that our pipelines use.
if(KAMI_STATIC_LLVM AND TARGET LLVM)
  llvm_map_components_to_libnames(KAMI_LLVM_ARCHIVES
    AsmParser BitReader BitWriter Core FrontendOpenMP IRPrinter IRReader Linker MC Passes
    Support Target TargetParser NVPTXCodeGen NVPTXDesc NVPTXInfo
    AMDGPUAsmParser AMDGPUCodeGen AMDGPUDesc AMDGPUInfo)
  get_target_property(support LLVMSupport IMPORTED_LOCATION_RELWITHDEBINFO)
  set_target_properties(LLVM PROPERTIES
    IMPORTED_LOCATION_RELWITHDEBINFO ${support}
    INTERFACE_LINK_LIBRARIES "${KAMI_LLVM_ARCHIVES}")
  # What LLVM compresses with, too, where there are archives of it.
  foreach(pair "zstd::libzstd_shared=libzstd.a" "ZLIB::ZLIB=libz.a")
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 target)
    list(GET pair 1 archive)
    find_library(KAMI_${archive} ${archive})
    if(KAMI_${archive} AND TARGET ${target})
      set_target_properties(${target} PROPERTIES
        IMPORTED_LOCATION ${KAMI_${archive}} IMPORTED_LOCATION_RELEASE ${KAMI_${archive}})
    endif()
  endforeach()
endif()

# kami_llvm_libraries(OUT LIB...): the named LLVM or MLIR libraries, or the one
# shared library that holds them all. Never both in one binary: two copies of
# LLVM's command-line registry abort at start-up.
function(kami_llvm_libraries out)
  if(KAMI_STATIC_LLVM)
    set(${out} ${ARGN} PARENT_SCOPE)
  else()
    set(libraries)
    foreach(library ${ARGN})
      if(library MATCHES "^MLIR")
        list(APPEND libraries MLIR LLVM)
      else()
        list(APPEND libraries LLVM)
      endif()
    endforeach()
    list(REMOVE_DUPLICATES libraries)
    set(${out} ${libraries} PARENT_SCOPE)
  endif()
endfunction()

if(KAMI_PRECOMPILE)
  add_library(kami_precompiled STATIC ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(kami_precompiled PUBLIC kami_flags)
  target_precompile_headers(kami_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
endif()

# kami_precompile(TARGET USES ...): lets a target that uses MLIR take upstream's
# headers as they were parsed.
function(kami_precompile target)
  if(KAMI_PRECOMPILE AND ARGN MATCHES "MLIR|KamiDriver|KamiSimulator")
    target_precompile_headers(${target} REUSE_FROM kami_precompiled)
    # As the header was parsed; executables would get -fPIE.
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# kami_add_library(NAME SOURCES ... [LINK kami rooms] [LLVM libraries] [DEPENDS targets])
function(kami_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LLVM;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  kami_llvm_libraries(llvm ${ARG_LLVM})
  target_link_libraries(${name} PUBLIC kami_flags ${ARG_LINK} ${llvm})
  kami_precompile(${name} ${ARG_LINK} ${ARG_LLVM})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY KAMI_LIBRARIES ${name})
endfunction()

# kami_add_tool(NAME SOURCES ... LINK ... [LLVM ...])
function(kami_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LLVM" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${KAMI_SANITIZER_OPTIONS})
  kami_llvm_libraries(llvm ${ARG_LLVM})
  target_link_libraries(${name} PRIVATE kami_flags ${ARG_LINK} ${llvm})
  kami_precompile(${name} ${ARG_LINK} ${ARG_LLVM})
  install(TARGETS ${name} EXPORT KamiTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
