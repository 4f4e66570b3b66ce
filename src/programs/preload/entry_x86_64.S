// The two wrappers that cannot be written in C++ on x86-64.
//
// vfork: the child runs on the caller's stack, so the return address must survive in a register (rdi is preserved by
// the system call), as in the C library. From headrace_before_vfork to headrace_after_vfork this thread's calls count
// for the child (capture/recorder/update.h).
//
// syscall: programs may make calls that return twice or on another stack, so numbers that are not followed jump to the
// C library without a frame of ours in between.
#include <asm/unistd.h>

#ifdef HEADRACE_STATIC  // as symbol.h
#define VFORK __wrap_vfork
#define VFORK_ALIAS __wrap___vfork
#define SYSTEM_CALL __wrap_syscall
#else
#define VFORK vfork
#define VFORK_ALIAS __vfork
#define SYSTEM_CALL syscall
#endif

        .text
        .globl  VFORK, VFORK_ALIAS
        .type   VFORK, @function
        .type   VFORK_ALIAS, @function
        .p2align 4
VFORK:
VFORK_ALIAS:
        .cfi_startproc
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    headrace_before_vfork
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        .cfi_register %rip, %rdi
        movl    $__NR_vfork, %eax
        syscall
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rip, 0
        testl   %eax, %eax
        je      1f
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        call    headrace_after_vfork
        popq    %rax
        .cfi_adjust_cfa_offset -8
        cmpq    $-4095, %rax
        jae     2f
1:      ret
2:      negl    %eax
        movl    %eax, %edi
        jmp     headrace_fail_with
        .cfi_endproc
        .size   VFORK, . - VFORK
        .size   VFORK_ALIAS, . - VFORK_ALIAS

        .globl  SYSTEM_CALL
        .type   SYSTEM_CALL, @function
        .p2align 4
SYSTEM_CALL:
        .cfi_startproc
        cmpq    $1023, %rdi
        ja      1f
        leaq    headrace_followed_calls(%rip), %rax
        cmpb    $0, (%rax, %rdi)
        jne     2f
1:      movq    headrace_real_syscall(%rip), %rax
        testq   %rax, %rax
        je      2f
        jmp     *%rax
        // The seventh argument is on our caller's stack; the handler takes seven, so it goes where it would be.
2:      movq    8(%rsp), %rax
        subq    $16, %rsp
        .cfi_adjust_cfa_offset 16
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        call    headrace_system_call
        addq    $24, %rsp
        .cfi_adjust_cfa_offset -24
        ret
        .cfi_endproc
        .size   SYSTEM_CALL, . - SYSTEM_CALL

        .section .note.GNU-stack, "", @progbits
