#include "textflag.h"

// The products are exact: 16-bit values times 8-bit weights, added in pairs and then
// in 32 bits. Y0–Y11 hold the sums of six rows times sixteen columns, Y12 and Y13 the
// weights of two steps along k, Y14 a row's two values in all places.

#define WEIGHTS \
	VPMOVSXBW (SI), Y12   \
	VPMOVSXBW 16(SI), Y13 \
	ADDQ      $32, SI

#define ROW(base, low, high) \
	VPBROADCASTD (base)(AX*1), Y14 \
	VPMADDWD     Y12, Y14, Y15     \
	VPADDD       Y15, low, low     \
	VPMADDWD     Y13, Y14, Y14     \
	VPADDD       Y14, high, high

#define CLEAR(y) VPXOR y, y, y

#define STORE(low, high) \
	VMOVDQU low, (DI)    \
	VMOVDQU high, 32(DI) \
	ADDQ    DX, DI

// func multiply6(out *int32, stride int, rows *[6]*int16, weights *int8, pairs int)
TEXT ·multiply6(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ stride+8(FP), DX
	SHLQ $2, DX // in bytes
	MOVQ rows+16(FP), BX
	MOVQ weights+24(FP), SI
	MOVQ pairs+32(FP), CX
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	MOVQ 16(BX), R10
	MOVQ 24(BX), R11
	MOVQ 32(BX), R12
	MOVQ 40(BX), R13
	XORQ AX, AX
	CLEAR(Y0)
	CLEAR(Y1)
	CLEAR(Y2)
	CLEAR(Y3)
	CLEAR(Y4)
	CLEAR(Y5)
	CLEAR(Y6)
	CLEAR(Y7)
	CLEAR(Y8)
	CLEAR(Y9)
	CLEAR(Y10)
	CLEAR(Y11)

six:
	WEIGHTS
	ROW(R8, Y0, Y1)
	ROW(R9, Y2, Y3)
	ROW(R10, Y4, Y5)
	ROW(R11, Y6, Y7)
	ROW(R12, Y8, Y9)
	ROW(R13, Y10, Y11)
	ADDQ $4, AX
	DECQ CX
	JNZ  six

	STORE(Y0, Y1)
	STORE(Y2, Y3)
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	STORE(Y10, Y11)
	VZEROUPPER
	RET

// func multiply2(out *int32, stride int, rows *[6]*int16, weights *int8, pairs int)
TEXT ·multiply2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ stride+8(FP), DX
	SHLQ $2, DX // in bytes
	MOVQ rows+16(FP), BX
	MOVQ weights+24(FP), SI
	MOVQ pairs+32(FP), CX
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	XORQ AX, AX
	CLEAR(Y0)
	CLEAR(Y1)
	CLEAR(Y2)
	CLEAR(Y3)

two:
	WEIGHTS
	ROW(R8, Y0, Y1)
	ROW(R9, Y2, Y3)
	ADDQ $4, AX
	DECQ CX
	JNZ  two

	STORE(Y0, Y1)
	STORE(Y2, Y3)
	VZEROUPPER
	RET
