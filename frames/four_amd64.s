// Observations of four bodies at once, with the operations of observations of one, in the same
// order, so that each body gets the same bits. See four.go.

#include "go_asm.h"
#include "textflag.h"

// QUAD defines a number as a constant of four lanes.
#define QUAD(name, bits) \
	DATA name<>+0(SB)/8, $bits; \
	DATA name<>+8(SB)/8, $bits; \
	DATA name<>+16(SB)/8, $bits; \
	DATA name<>+24(SB)/8, $bits; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

QUAD(signs, 0x8000000000000000)
QUAD(magnitudes, 0x7fffffffffffffff)
QUAD(ones32, 0x0000000100000001)
QUAD(one, 1.0)
QUAD(minusOne, -1.0)
QUAD(half, 0.5)
QUAD(pi, 3.14159265358979311600e+00)
QUAD(quarterPi, 0.785398163397448309616)
QUAD(halfPi, 1.57079632679489661923)
QUAD(perOctant, 1.27323954473516268615) // 4/pi
QUAD(reducible, 536870912.0)

// The numbers below are those of package portable, in the order in which they are used.
QUAD(part1, 7.85398125648498535156e-1)
QUAD(part2, 3.77489470793079817668e-8)
QUAD(part3, 2.69515142907905952645e-15)

QUAD(sin0, 1.58962301576546568060e-10)
QUAD(sin1, -2.50507477628578072866e-8)
QUAD(sin2, 2.75573136213857245213e-6)
QUAD(sin3, -1.98412698295895385996e-4)
QUAD(sin4, 8.33333333332211858878e-3)
QUAD(sin5, -1.66666666666666307295e-1)

QUAD(cos0, -1.13585365213876817300e-11)
QUAD(cos1, 2.08757008419747316778e-9)
QUAD(cos2, -2.75573141792967388112e-7)
QUAD(cos3, 2.48015872888517045348e-5)
QUAD(cos4, -1.38888888888730564116e-3)
QUAD(cos5, 4.16666666666665929218e-2)

QUAD(above0, -8.750608600031904122785e-01)
QUAD(above1, -1.615753718733365076637e+01)
QUAD(above2, -7.500855792314704667340e+01)
QUAD(above3, -1.228866684490136173410e+02)
QUAD(above4, -6.485021904942025371773e+01)

QUAD(below0, 2.485846490142306297962e+01)
QUAD(below1, 1.650270098316988542046e+02)
QUAD(below2, 4.328810604912902668951e+02)
QUAD(below3, 4.853903996359136964868e+02)
QUAD(below4, 1.945506571482613964425e+02)

QUAD(atanMiddle, 0.66)
QUAD(atanAbove, 2.41421356237309504880)
QUAD(piRest, 6.123233995736765886130e-17)
QUAD(halfPiRest, 3.061616997868382943065e-17)

// TERM continues a polynomial in X with the next coefficient.
#define TERM(X, COEFFICIENT, SUM) \
	VMULPD X, SUM, SUM; \
	VADDPD COEFFICIENT<>(SB), SUM, SUM

// SINCOS is portable.sincosNearZero of Z. It changes ZZ and T.
#define SINCOS(Z, ZZ, SIN, COS, T) \
	VMULPD Z, Z, ZZ; \
	VMOVUPD sin0<>(SB), SIN; \
	TERM(ZZ, sin1, SIN); \
	TERM(ZZ, sin2, SIN); \
	TERM(ZZ, sin3, SIN); \
	TERM(ZZ, sin4, SIN); \
	TERM(ZZ, sin5, SIN); \
	VMULPD ZZ, Z, T; \
	VMULPD SIN, T, T; \
	VADDPD T, Z, SIN; \
	VMOVUPD cos0<>(SB), COS; \
	TERM(ZZ, cos1, COS); \
	TERM(ZZ, cos2, COS); \
	TERM(ZZ, cos3, COS); \
	TERM(ZZ, cos4, COS); \
	TERM(ZZ, cos5, COS); \
	VMULPD ZZ, ZZ, T; \
	VMULPD COS, T, T; \
	VMULPD half<>(SB), ZZ, ZZ; \
	VMOVUPD one<>(SB), COS; \
	VSUBPD ZZ, COS, COS; \
	VADDPD T, COS, COS

// ATAN is portable.atanNearZero of X, in place. It changes ZZ, A and B.
#define ATAN(X, ZZ, A, B) \
	VMULPD X, X, ZZ; \
	VMULPD above0<>(SB), ZZ, A; \
	VADDPD above1<>(SB), A, A; \
	VADDPD below0<>(SB), ZZ, B; \
	TERM(ZZ, above2, A); \
	TERM(ZZ, below1, B); \
	TERM(ZZ, above3, A); \
	TERM(ZZ, below2, B); \
	TERM(ZZ, above4, A); \
	TERM(ZZ, below3, B); \
	TERM(ZZ, below4, B); \
	VMULPD A, ZZ, A; \
	VDIVPD B, A, A; \
	VMULPD A, X, A; \
	VADDPD X, A, X

// KEEP removes the lanes from the usual ones (Y15) for which A OP B does not hold.
#define KEEP(OP, A, B, T) \
	VCMPPD $OP, B, A, T; \
	VANDPD T, Y15, Y15

// Comparisons that do not hold for NaN.
#define EQ 0x00
#define LT 0x11
#define LE 0x12
#define GT 0x1e

// INTO is one coordinate of Rotation.Into: the vector (V0, V1, V2) times the column of the
// observer's axes that begins at the given entry. It changes T.
#define INTO(COLUMN, V0, V1, V2, OUT, T) \
	VBROADCASTSD (Observer_axes+COLUMN+0)(DI), OUT; \
	VMULPD V0, OUT, OUT; \
	VBROADCASTSD (Observer_axes+COLUMN+24)(DI), T; \
	VMULPD V1, T, T; \
	VADDPD T, OUT, OUT; \
	VBROADCASTSD (Observer_axes+COLUMN+48)(DI), T; \
	VMULPD V2, T, T; \
	VADDPD T, OUT, OUT

// SUB subtracts a vector of the observer from (X, Y, Z). It changes T.
#define SUB(VECTOR, X, Y, Z, T) \
	VBROADCASTSD (VECTOR+Vector_X)(DI), T; \
	VSUBPD T, X, X; \
	VBROADCASTSD (VECTOR+Vector_Y)(DI), T; \
	VSUBPD T, Y, Y; \
	VBROADCASTSD (VECTOR+Vector_Z)(DI), T; \
	VSUBPD T, Z, Z

// CROSS is Vector.Cross of A and B. It changes T.
#define CROSS(AX, AY, AZ, BX, BY, BZ, X, Y, Z, T) \
	VMULPD BZ, AY, X; \
	VMULPD BY, AZ, T; \
	VSUBPD T, X, X; \
	VMULPD BX, AZ, Y; \
	VMULPD BZ, AX, T; \
	VSUBPD T, Y, Y; \
	VMULPD BY, AX, Z; \
	VMULPD BX, AY, T; \
	VSUBPD T, Z, Z

// STORE_INTO stores Rotation.Into of a vector to where OUT points. It changes T0 and T1.
#define STORE_INTO(X, Y, Z, OUT, T0, T1) \
	INTO(COLUMNX, X, Y, Z, T0, T1); \
	VMOVUPD T0, 0(OUT); \
	INTO(COLUMNY, X, Y, Z, T0, T1); \
	VMOVUPD T0, 32(OUT); \
	INTO(COLUMNZ, X, Y, Z, T0, T1); \
	VMOVUPD T0, 64(OUT)

// Columns of the axes, and the angles of a Triple4.
#define COLUMNX Rotation_xx
#define COLUMNY Rotation_xy
#define COLUMNZ Rotation_xz
#define ROLL(P) 0(P)
#define PITCH(P) 32(P)
#define YAW(P) 64(P)

// Places on the stack.
#define SINROLL 0(SP)
#define COSROLL 32(SP)
#define SINPITCH 64(SP)
#define COSPITCH 96(SP)
#define OWNX 128(SP)
#define OWNY 160(SP)
#define OWNZ 192(SP)
#define HEIGHTY 224(SP)
#define HEIGHTZ 256(SP)
#define SEENX 288(SP)
#define SEENY 320(SP)
#define SEENZ 352(SP)
#define LEVEL 384(SP)

// func seenTurning4(o *Observer, turned, rate, seen, seenRate *Triple4) (usual uint64)
TEXT ·seenTurning4(SB), 0, $416-48
	MOVQ o+0(FP), DI
	MOVQ turned+8(FP), SI
	MOVQ rate+16(FP), BX
	MOVQ seen+24(FP), CX
	MOVQ seenRate+32(FP), DX
	VXORPD Y14, Y14, Y14

	// Sine and cosine of roll and pitch, which are below pi/4.
	VADDPD ROLL(SI), Y14, Y0
	VANDPD magnitudes<>(SB), Y0, Y1
	VCMPPD $LT, quarterPi<>(SB), Y1, Y15
	SINCOS(Y0, Y1, Y2, Y3, Y4)
	VMOVUPD Y2, SINROLL
	VMOVUPD Y3, COSROLL
	VADDPD PITCH(SI), Y14, Y5
	VANDPD magnitudes<>(SB), Y5, Y6
	KEEP(LT, Y6, quarterPi<>(SB), Y7)
	SINCOS(Y5, Y6, Y7, Y8, Y9)
	VMOVUPD Y7, SINPITCH
	VMOVUPD Y8, COSPITCH

	// Sine (Y2) and cosine (Y3) of yaw.
	VADDPD YAW(SI), Y14, Y10
	VANDPD magnitudes<>(SB), Y10, Y0
	KEEP(LT, Y0, reducible<>(SB), Y1)
	VMULPD perOctant<>(SB), Y0, Y1
	VCVTTPD2DQY Y1, X1
	VPAND ones32<>(SB), X1, X2
	VPADDD X2, X1, X1 // octants, even
	VCVTDQ2PD X1, Y2
	VMULPD part1<>(SB), Y2, Y3
	VSUBPD Y3, Y0, Y0
	VMULPD part2<>(SB), Y2, Y3
	VSUBPD Y3, Y0, Y0
	VMULPD part3<>(SB), Y2, Y3
	VSUBPD Y3, Y0, Y0
	VPMOVSXDQ X1, Y11
	VPSLLQ $61, Y11, Y12 // its sign bit: a half turn
	VPSLLQ $62, Y11, Y11 // its sign bit: a quarter turn
	SINCOS(Y0, Y1, Y4, Y5, Y6)
	VBLENDVPD Y11, Y5, Y4, Y2
	VBLENDVPD Y11, Y4, Y5, Y3
	VXORPD Y12, Y10, Y10
	VANDPD signs<>(SB), Y10, Y10
	VXORPD Y10, Y2, Y2
	VXORPD Y12, Y11, Y11
	VANDPD signs<>(SB), Y11, Y11
	VXORPD Y11, Y3, Y3

	// The body's axes; Rotation.turn.
	VMOVUPD SINROLL, Y4
	VMOVUPD COSROLL, Y5
	VMOVUPD SINPITCH, Y6
	VMOVUPD COSPITCH, Y7
	VMULPD Y7, Y3, Y8
	VMOVUPD Y8, OWNX
	VMULPD Y7, Y2, Y9
	VMOVUPD Y9, OWNY
	VXORPD signs<>(SB), Y6, Y10
	VMOVUPD Y10, OWNZ
	VMULPD Y6, Y3, Y0 // cy sp
	VMULPD Y6, Y2, Y1 // sy sp
	VMULPD Y4, Y0, Y11
	VMULPD Y5, Y2, Y12
	VSUBPD Y12, Y11, Y11 // xy
	VMULPD Y4, Y1, Y12
	VMULPD Y5, Y3, Y13
	VADDPD Y13, Y12, Y12 // yy
	VMULPD Y4, Y7, Y13   // zy
	INTO(COLUMNZ, Y11, Y12, Y13, Y6, Y10)
	VMOVUPD Y6, HEIGHTY
	VMULPD Y5, Y0, Y11
	VMULPD Y4, Y2, Y12
	VADDPD Y12, Y11, Y11 // xz
	VMULPD Y5, Y1, Y12
	VMULPD Y4, Y3, Y13
	VSUBPD Y13, Y12, Y12 // yz
	VMULPD Y5, Y7, Y13   // zz
	INTO(COLUMNZ, Y11, Y12, Y13, Y6, Y10)
	VMOVUPD Y6, HEIGHTZ

	// Its x axis, seen by the observer, and the horizontal length of that.
	VMOVUPD OWNZ, Y10
	INTO(COLUMNX, Y8, Y9, Y10, Y0, Y3)
	INTO(COLUMNY, Y8, Y9, Y10, Y1, Y3)
	INTO(COLUMNZ, Y8, Y9, Y10, Y2, Y3)
	VMOVUPD Y0, SEENX
	VMOVUPD Y1, SEENY
	VMOVUPD Y2, SEENZ
	VMULPD Y0, Y0, Y3
	VMULPD Y1, Y1, Y4
	VADDPD Y4, Y3, Y3
	VSQRTPD Y3, Y3
	VMOVUPD Y3, LEVEL

	// Its angular velocity; Rotation.AngularVelocity.
	VMOVUPD ROLL(BX), Y4
	VMOVUPD PITCH(BX), Y5
	VMOVUPD YAW(BX), Y6
	VMULPD Y8, Y8, Y0
	VMULPD Y9, Y9, Y1
	VADDPD Y1, Y0, Y0
	VSQRTPD Y0, Y0
	VXORPD signs<>(SB), Y9, Y1
	VDIVPD Y0, Y1, Y1 // the axis of pitch: (Y1, Y2, 0)
	VDIVPD Y0, Y8, Y2
	VMULPD Y4, Y8, Y8
	VMULPD Y5, Y1, Y1
	VADDPD Y1, Y8, Y8
	VADDPD Y14, Y8, Y8
	VMULPD Y4, Y9, Y9
	VMULPD Y5, Y2, Y2
	VADDPD Y2, Y9, Y9
	VADDPD Y14, Y9, Y9
	VMULPD Y4, Y10, Y10
	VMULPD Y5, Y14, Y2
	VADDPD Y2, Y10, Y10
	VADDPD Y6, Y10, Y10
	VCMPPD $EQ, Y14, Y4, Y4
	VCMPPD $EQ, Y14, Y5, Y5
	VANDPD Y5, Y4, Y4 // it turns about the vertical only
	VBLENDVPD Y4, Y6, Y10, Y10 // keeps -0

	// Relative to the observer, and seen by it; then the rates.
	SUB(Observer_AngularVelocity, Y8, Y9, Y10, Y0)
	INTO(COLUMNX, Y8, Y9, Y10, Y4, Y7)
	INTO(COLUMNY, Y8, Y9, Y10, Y5, Y7)
	INTO(COLUMNZ, Y8, Y9, Y10, Y6, Y7)
	VMOVUPD SEENX, Y0
	VMOVUPD SEENY, Y1
	VMOVUPD SEENZ, Y2
	VMOVUPD LEVEL, Y3
	VMULPD Y4, Y0, Y7
	VMULPD Y5, Y1, Y8
	VADDPD Y8, Y7, Y7
	VMULPD Y3, Y3, Y8
	VDIVPD Y8, Y7, Y7
	VMOVUPD Y7, ROLL(DX)
	VMULPD Y5, Y0, Y8
	VMULPD Y4, Y1, Y9
	VSUBPD Y9, Y8, Y8
	VDIVPD Y3, Y8, Y8
	VMOVUPD Y8, PITCH(DX)
	VMULPD Y7, Y2, Y7
	VSUBPD Y7, Y6, Y6
	VMOVUPD Y6, YAW(DX)

	// Roll and pitch; portable.Atan2Flat. A body whose x axis the observer sees vertical has too
	// much pitch to be a usual one.
	VMOVUPD HEIGHTY, Y4
	VMOVUPD HEIGHTZ, Y5
	KEEP(GT, Y5, Y14, Y6)
	VANDPD magnitudes<>(SB), Y4, Y6
	VDIVPD Y5, Y6, Y6
	KEEP(LE, Y6, atanMiddle<>(SB), Y7)
	ATAN(Y6, Y7, Y8, Y9)
	VANDPD signs<>(SB), Y4, Y4
	VXORPD Y4, Y6, Y6
	VMOVUPD Y6, ROLL(CX)
	VSUBPD Y2, Y14, Y4
	VANDPD magnitudes<>(SB), Y4, Y6
	VDIVPD Y3, Y6, Y6
	KEEP(LE, Y6, atanMiddle<>(SB), Y7)
	ATAN(Y6, Y7, Y8, Y9)
	VANDPD signs<>(SB), Y4, Y4
	VXORPD Y4, Y6, Y6
	VMOVUPD Y6, PITCH(CX)

	// Yaw; portable.Atan2 of Y1 and Y0.
	VANDPD magnitudes<>(SB), Y1, Y2
	VANDPD magnitudes<>(SB), Y0, Y3
	VDIVPD Y3, Y2, Y2
	VCMPPD $GT, atanMiddle<>(SB), Y2, Y4
	VCMPPD $GT, atanAbove<>(SB), Y2, Y5
	VMOVUPD one<>(SB), Y6
	VSUBPD Y6, Y2, Y7
	VBLENDVPD Y4, Y7, Y2, Y7
	VBLENDVPD Y5, minusOne<>(SB), Y7, Y7 // above: q, q-1 or -1
	VADDPD Y6, Y2, Y8
	VBLENDVPD Y4, Y8, Y6, Y8
	VBLENDVPD Y5, Y2, Y8, Y8 // below: 1, q+1 or q
	VDIVPD Y8, Y7, Y7
	VANDPD quarterPi<>(SB), Y4, Y9
	VBLENDVPD Y5, halfPi<>(SB), Y9, Y9
	VANDPD halfPiRest<>(SB), Y4, Y10
	VBLENDVPD Y5, piRest<>(SB), Y10, Y10
	ATAN(Y7, Y2, Y3, Y4)
	VADDPD Y7, Y9, Y7
	VADDPD Y10, Y7, Y7
	VMOVUPD signs<>(SB), Y2
	VANDPD Y2, Y0, Y3
	VXORPD Y3, Y7, Y7
	VBLENDVPD Y0, pi<>(SB), Y14, Y4 // behind the observer
	VADDPD Y7, Y4, Y7
	VANDPD Y2, Y1, Y1
	VXORPD Y1, Y7, Y7
	VMOVUPD Y7, YAW(CX)

	VMOVMSKPD Y15, AX
	VZEROUPPER
	MOVQ AX, usual+40(FP)
	RET

// func seenMotion4(o *Observer, position, velocity, acceleration, seen, seenVelocity, seenAcceleration *Triple4)
TEXT ·seenMotion4(SB), NOSPLIT, $0-56
	MOVQ o+0(FP), DI
	MOVQ position+8(FP), SI
	MOVQ velocity+16(FP), BX
	MOVQ acceleration+24(FP), CX
	MOVQ seen+32(FP), DX
	MOVQ seenVelocity+40(FP), R8
	MOVQ seenAcceleration+48(FP), R9

	// Velocity: less that of the observer's body at the place, which is carried (Y6 to Y8).
	VMOVUPD 0(SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	SUB(Observer_Position, Y0, Y1, Y2, Y15)
	VBROADCASTSD (Observer_AngularVelocity+Vector_X)(DI), Y3
	VBROADCASTSD (Observer_AngularVelocity+Vector_Y)(DI), Y4
	VBROADCASTSD (Observer_AngularVelocity+Vector_Z)(DI), Y5
	CROSS(Y3, Y4, Y5, Y0, Y1, Y2, Y6, Y7, Y8, Y15)
	VMOVUPD 0(BX), Y9
	VMOVUPD 32(BX), Y10
	VMOVUPD 64(BX), Y11
	SUB(Observer_Velocity, Y9, Y10, Y11, Y15)
	VSUBPD Y6, Y9, Y9
	VSUBPD Y7, Y10, Y10
	VSUBPD Y8, Y11, Y11
	STORE_INTO(Y9, Y10, Y11, R8, Y12, Y13)

	// Acceleration.
	VADDPD Y9, Y9, Y9
	VADDPD Y10, Y10, Y10
	VADDPD Y11, Y11, Y11
	VADDPD Y9, Y6, Y6
	VADDPD Y10, Y7, Y7
	VADDPD Y11, Y8, Y8
	CROSS(Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y15)
	VBROADCASTSD (Observer_AngularAcceleration+Vector_X)(DI), Y3
	VBROADCASTSD (Observer_AngularAcceleration+Vector_Y)(DI), Y4
	VBROADCASTSD (Observer_AngularAcceleration+Vector_Z)(DI), Y5
	CROSS(Y3, Y4, Y5, Y0, Y1, Y2, Y6, Y7, Y8, Y15)
	VMOVUPD 0(CX), Y0
	VMOVUPD 32(CX), Y1
	VMOVUPD 64(CX), Y2
	SUB(Observer_Acceleration, Y0, Y1, Y2, Y15)
	VSUBPD Y6, Y0, Y0
	VSUBPD Y7, Y1, Y1
	VSUBPD Y8, Y2, Y2
	VSUBPD Y9, Y0, Y0
	VSUBPD Y10, Y1, Y1
	VSUBPD Y11, Y2, Y2
	STORE_INTO(Y0, Y1, Y2, R9, Y12, Y13)

	// Position.
	VMOVUPD 0(SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	SUB(Observer_origin, Y0, Y1, Y2, Y15)
	STORE_INTO(Y0, Y1, Y2, DX, Y12, Y13)
	VZEROUPPER
	RET

// func supported() bool
TEXT ·supported(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7 // the highest leaf
	JLT  no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<28 | 1<<27), CX // AVX, and the operating system uses XSAVE
	CMPL CX, $(1<<28 | 1<<27)
	JNE  no
	XORL CX, CX
	XGETBV
	ANDL $6, AX // it saves XMM and YMM registers
	CMPL AX, $6
	JNE  no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $5, BX
	ANDL $1, BX // AVX2
	MOVB BX, ret+0(FP)

no:
	RET
