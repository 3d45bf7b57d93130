# SPDX-License-Identifier: Apache-2.0
#
# Guards that compiler, linker and C library offer, for what is given to others.
# tests/hardened_test.py reads them from the program. Not -D_GLIBCXX_ASSERTIONS, which
# costs more than 2 % (docs/performance.md). And what nothing calls is left out.

include(CheckCXXCompilerFlag)
set(guards -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fPIE -ffunction-sections -fdata-sections)
set(flags -fstack-protector-strong -fstack-clash-protection -fcf-protection)
if(PERF2X_STATIC)
  # Its C library has no such marks, without which the processor does not look at the others.
  list(REMOVE_ITEM flags -fcf-protection)
endif()
foreach(flag IN LISTS flags)
  string(MAKE_C_IDENTIFIER "PERF2X_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    list(APPEND guards ${flag})
  endif()
endforeach()
target_compile_options(perf2x_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${guards}>")
# A static program is as position independent, but the compiler's word for it is another.
set(pie $<IF:$<BOOL:${PERF2X_STATIC}>,-static-pie,-pie>)
target_link_options(perf2x_options INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${pie}>"
  -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections)
