//go:build !race

#include "textflag.h"

// The numbers of system calls and constants are those of <asm/unistd_64.h>, <linux/sched.h> and <linux/prctl.h>.
#define SYS_getpid     39
#define SYS_clone      56
#define SYS_exit       60
#define SYS_wait4      61
#define SYS_getppid    110
#define SYS_prctl      157
#define SYS_arch_prctl 158
#define SYS_exit_group 231
#define VFORK          0x4111 // CLONE_VFORK | CLONE_VM | SIGCHLD

DATA _cgo_init(SB)/8, $·guard(SB)
GLOBL _cgo_init(SB), NOPTR, $8

// The runtime keeps its g at -8(FS). It leaves FS to _cgo_init.
GLOBL thread<>(SB), NOPTR, $16

// guard is called by runtime·rt0_go, which has argc at 24(SP) and argv at 32(SP). The call pushes 8 bytes.
TEXT ·guard(SB), NOSPLIT|NOFRAME, $0
	MOVL 32(SP), AX
	CMPL AX, $2
	JLT  fork
	MOVQ 40(SP), AX
	MOVQ 8(AX), AX
	CMPB (AX), $'-'
	JEQ  run

fork:
	MOVL  $SYS_getppid, AX
	SYSCALL
	MOVL  AX, ·caller(SB)
	MOVL  $SYS_getpid, AX
	SYSCALL
	MOVL  AX, R13
	MOVL  $SYS_clone, AX
	MOVL  $VFORK, DI
	XORL  SI, SI
	XORL  DX, DX
	XORL  R10, R10
	XORL  R8, R8
	SYSCALL
	MOVQ  AX, R12
	TESTQ AX, AX
	JEQ   hook
	JLT   done

wait:
	MOVL $SYS_wait4, AX
	MOVQ R12, DI
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	SYSCALL
	CMPQ AX, $-4 // EINTR
	JEQ  wait

done:
	MOVL $SYS_exit_group, AX
	XORL DI, DI
	SYSCALL
	MOVL $SYS_exit, AX
	XORL DI, DI
	SYSCALL
	JMP  done

hook:
	MOVL $SYS_prctl, AX
	MOVL $1, DI // PR_SET_PDEATHSIG
	MOVL $9, SI // SIGKILL
	SYSCALL
	MOVL $SYS_getppid, AX
	SYSCALL
	CMPL AX, R13 // else the guard has died
	JNE  done

run:
	MOVL  $SYS_arch_prctl, AX
	MOVL  $0x1002, DI // ARCH_SET_FS
	LEAQ  thread<>+8(SB), SI
	SYSCALL
	TESTQ AX, AX
	JNE   done
	RET
