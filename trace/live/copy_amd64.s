#include "textflag.h"

// func copyLines(to, from *byte, lines int)
TEXT ·copyLines(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ lines+16(FP), CX
	TESTQ CX, CX
	JZ   done

line:
	MOVQ (SI), R8
	MOVQ 8(SI), R9
	MOVQ 16(SI), R10
	MOVQ 24(SI), R11
	MOVNTIQ R8, (DI)
	MOVNTIQ R9, 8(DI)
	MOVNTIQ R10, 16(DI)
	MOVNTIQ R11, 24(DI)
	MOVQ 32(SI), R8
	MOVQ 40(SI), R9
	MOVQ 48(SI), R10
	MOVQ 56(SI), R11
	MOVNTIQ R8, 32(DI)
	MOVNTIQ R9, 40(DI)
	MOVNTIQ R10, 48(DI)
	MOVNTIQ R11, 56(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  line

done:
	RET
