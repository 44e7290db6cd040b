//go:build !race

#include "textflag.h"

// func store(to *atomic.Uint64, value uint64)
TEXT ·store(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ value+8(FP), SI
	MOVQ SI, (DI)
	RET
