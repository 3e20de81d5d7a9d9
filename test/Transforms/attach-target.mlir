// RUN: kami-opt %s --kami-attach-target=chip=sm_90 | FileCheck %s --check-prefix=SET
// RUN: kami-opt %s --kami-attach-target=chip=gfx942 | FileCheck %s --check-prefix=OTHER
// RUN: kami-opt %s --kami-attach-target=chip=sm_80 | kami-opt --kami-attach-target | FileCheck %s --check-prefix=KEPT
// RUN: kami-opt %s --kami-attach-target=chip=sm_80 | kami-opt --kami-attach-target=chip=sm_120 | FileCheck %s --check-prefix=REPLACED
// RUN: not kami-opt %s --kami-attach-target=chip=sm_91 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not kami-opt %s --kami-attach-target 2>&1 | FileCheck %s --check-prefix=MISSING

// SET: module attributes {kami.target = #kami.target<"sm_90">}
// OTHER: module attributes {kami.target = #kami.target<"gfx942">}

// Without the option a module keeps the target that it has; with it, the option
// decides.

// KEPT: module attributes {kami.target = #kami.target<"sm_80">}
// REPLACED: module attributes {kami.target = #kami.target<"sm_120">}

// UNKNOWN: error: unknown target 'sm_91', expected one of: sm_80, sm_89, sm_90, sm_100, sm_120, gfx90a, gfx942, gfx950, gfx1100, gfx1201, xe-hpc, xe2, vulkan, lavapipe
// MISSING: error: 'builtin.module' op expected a module with a 'kami.target'; kami-attach-target sets it

module {}
