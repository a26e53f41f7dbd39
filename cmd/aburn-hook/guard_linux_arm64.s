//go:build !race

#include "textflag.h"

// The numbers of system calls and constants are those of <asm-generic/unistd.h>, <linux/sched.h> and <linux/prctl.h>.
#define SYS_exit       93
#define SYS_exit_group 94
#define SYS_prctl      167
#define SYS_getpid     172
#define SYS_getppid    173
#define SYS_clone      220
#define SYS_wait4      260
#define VFORK          0x4111 // CLONE_VFORK | CLONE_VM | SIGCHLD

DATA _cgo_init(SB)/8, $·guard(SB)
GLOBL _cgo_init(SB), NOPTR, $8

// guard is called by runtime·rt0_go, which has argc at 24(RSP) and argv at 32(RSP) then. It must keep g.
TEXT ·guard(SB), NOSPLIT|NOFRAME, $0
	MOVW 24(RSP), R9
	CMPW $2, R9
	BLT  fork
	MOVD 32(RSP), R9
	MOVD 8(R9), R9
	MOVBU (R9), R9
	CMPW $'-', R9
	BEQ  run

fork:
	MOVD $SYS_getppid, R8
	SVC
	MOVW R0, ·caller(SB)
	MOVD $SYS_getpid, R8
	SVC
	MOVW R0, R10
	MOVD $SYS_clone, R8
	MOVD $VFORK, R0
	MOVD ZR, R1
	MOVD ZR, R2
	MOVD ZR, R3
	MOVD ZR, R4
	SVC
	MOVD R0, R11
	CBZ  R0, hook
	TBNZ $63, R0, done

wait:
	MOVD $SYS_wait4, R8
	MOVD R11, R0
	MOVD ZR, R1
	MOVD ZR, R2
	MOVD ZR, R3
	SVC
	CMN  $4, R0 // EINTR
	BEQ  wait

done:
	MOVD $SYS_exit_group, R8
	MOVD ZR, R0
	SVC
	MOVD $SYS_exit, R8
	MOVD ZR, R0
	SVC
	B    done

hook:
	MOVD $SYS_prctl, R8
	MOVD $1, R0 // PR_SET_PDEATHSIG
	MOVD $9, R1 // SIGKILL
	SVC
	MOVD $SYS_getppid, R8
	SVC
	CMPW R10, R0 // else the guard has died
	BNE  done

run:
	RET
