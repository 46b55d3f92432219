#include "textflag.h"

// The functions work on 8 to 32 values at a time; lengths are multiples of 32.

// Four sums at a time: each addition waits for the one before it.
#define LANES \
	VADDPS       Y1, Y0, Y0  \
	VADDPS       Y3, Y2, Y2  \
	VADDPS       Y2, Y0, Y0  \
	VEXTRACTF128 $1, Y0, X1  \
	VADDPS       X1, X0, X0  \
	VMOVHLPS     X0, X0, X1  \
	VADDPS       X1, X0, X0  \
	VMOVSHDUP    X0, X1      \
	VADDSS       X1, X0, X0

// func sumVector(x *float32, n int) float32
TEXT ·sumVector(SB), NOSPLIT, $0-20
	MOVQ   x+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

next:
	VADDPS (SI), Y0, Y0
	VADDPS 32(SI), Y1, Y1
	VADDPS 64(SI), Y2, Y2
	VADDPS 96(SI), Y3, Y3
	ADDQ   $128, SI
	SUBQ   $32, CX
	JG     next
	LANES
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

#define SQUARE(at, y, z) \
	VMOVUPS at(SI), z \
	VSUBPS  Y4, z, z  \
	VMULPS  z, z, z   \
	VADDPS  z, y, y

// func squaresVector(x *float32, n int, mean float32) float32
TEXT ·squaresVector(SB), NOSPLIT, $0-28
	MOVQ         x+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSS mean+16(FP), Y4
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1
	VXORPS       Y2, Y2, Y2
	VXORPS       Y3, Y3, Y3

next:
	SQUARE(0, Y0, Y5)
	SQUARE(32, Y1, Y6)
	SQUARE(64, Y2, Y7)
	SQUARE(96, Y3, Y8)
	ADDQ $128, SI
	SUBQ $32, CX
	JG   next
	LANES
	VMOVSS  X0, ret+24(FP)
	VZEROUPPER
	RET

// func peakVector(x *float32, n int) float32
TEXT ·peakVector(SB), NOSPLIT, $0-20
	MOVQ     x+0(FP), SI
	MOVQ     n+8(FP), CX
	VXORPS   Y0, Y0, Y0
	VPCMPEQD Y2, Y2, Y2
	VPSRLD   $1, Y2, Y2   // all bits but the sign

next:
	VANDPS (SI), Y2, Y3
	VMAXPS Y3, Y0, Y0
	ADDQ   $32, SI
	SUBQ   $8, CX
	JG     next
	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VMOVHLPS     X0, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VMAXSS       X1, X0, X0
	VMOVSS       X0, ret+16(FP)
	VZEROUPPER
	RET

// func whitenVector(out, x, gain, offset *float32, n int, mean, scale float32)
TEXT ·whitenVector(SB), NOSPLIT, $0-48
	MOVQ         out+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         gain+16(FP), R8
	MOVQ         offset+24(FP), R9
	MOVQ         n+32(FP), CX
	VBROADCASTSS mean+40(FP), Y2
	VBROADCASTSS scale+44(FP), Y3
	XORQ         AX, AX

next:
	VMOVUPS (SI)(AX*4), Y0
	VSUBPS  Y2, Y0, Y0
	VMULPS  Y3, Y0, Y0
	VMULPS  (R8)(AX*4), Y0, Y0
	VADDPS  (R9)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JL      next
	VZEROUPPER
	RET

// func gatherVector(out, x *float32, n int, mean, scale float32)
TEXT ·gatherVector(SB), NOSPLIT, $0-32
	MOVQ         out+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS mean+24(FP), Y2
	VBROADCASTSS scale+28(FP), Y3
	XORQ         AX, AX

next:
	VMOVUPS (SI)(AX*4), Y0
	VSUBPS  Y2, Y0, Y0
	VMULPS  Y3, Y0, Y0
	VADDPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JL      next
	VZEROUPPER
	RET

// func quantiseVector(out *int16, x *float32, n int, scale float32)
TEXT ·quantiseVector(SB), NOSPLIT, $0-28
	MOVQ         out+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y3
	XORQ         AX, AX

next:
	VMULPS       (SI)(AX*4), Y3, Y0
	VCVTPS2DQ    Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSDW    X1, X0, X0
	VMOVDQU      X0, (DI)(AX*2)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JL           next
	VZEROUPPER
	RET

// func affineVector(out *float32, x *int32, offset *float32, n int, scale float32)
TEXT ·affineVector(SB), NOSPLIT, $0-36
	MOVQ         out+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         offset+16(FP), R8
	MOVQ         n+24(FP), CX
	VBROADCASTSS scale+32(FP), Y3
	XORQ         AX, AX

next:
	VCVTDQ2PS (SI)(AX*4), Y0
	VMULPS    Y3, Y0, Y0
	VADDPS    (R8)(AX*4), Y0, Y0
	VMOVUPS   Y0, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JL        next
	VZEROUPPER
	RET

// func addVector(out, x *float32, n int)
TEXT ·addVector(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

next:
	VMOVUPS (SI)(AX*4), Y0
	VADDPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JL      next
	VZEROUPPER
	RET

// func reluAddVector(out, x *float32, n int)
TEXT ·reluAddVector(SB), NOSPLIT, $0-24
	MOVQ   out+0(FP), DI
	MOVQ   x+8(FP), SI
	MOVQ   n+16(FP), CX
	VXORPS Y2, Y2, Y2
	XORQ   AX, AX

next:
	VMAXPS  (DI)(AX*4), Y2, Y0
	VADDPS  (SI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JL      next
	VZEROUPPER
	RET

// func spreadVector(out *float32, x *byte, n int, scale, offset float32)
TEXT ·spreadVector(SB), NOSPLIT, $0-32
	MOVQ         out+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y2
	VBROADCASTSS offset+28(FP), Y3
	XORQ         AX, AX

next:
	VPMOVZXBD (SI)(AX*1), Y0
	VCVTDQ2PS Y0, Y0
	VMULPS    Y2, Y0, Y0
	VADDPS    Y3, Y0, Y0
	VMOVUPS   Y0, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JL        next
	VZEROUPPER
	RET

// Eight values are halves: the lowest bit that stays rounds halves to the even one.
#define HALVE(at, y, z) \
	VMOVDQU at(SI), y  \
	VPSRLD  $16, y, z  \
	VPAND   Y5, z, z   \
	VPADDD  Y4, z, z   \
	VPADDD  z, y, y    \
	VPSRLD  $16, y, y

// func halveVector(out *half, x *float32, n int)
TEXT ·halveVector(SB), NOSPLIT, $0-24
	MOVQ     out+0(FP), DI
	MOVQ     x+8(FP), SI
	MOVQ     n+16(FP), CX
	VPCMPEQD Y4, Y4, Y4
	VPSRLD   $31, Y4, Y5 // 1
	VPSRLD   $17, Y4, Y4 // 0x7fff

next:
	HALVE(0, Y0, Y2)
	HALVE(32, Y1, Y3)
	VPACKUSDW Y1, Y0, Y0
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JG        next
	VZEROUPPER
	RET

// The functions below work on a branch's 256 values, and on 64 of them at a time: these
// stay in Y0–Y7 while all that is to be added to them goes by.

#define STORE64 \
	VMOVUPS Y0, (DI)    \
	VMOVUPS Y1, 32(DI)  \
	VMOVUPS Y2, 64(DI)  \
	VMOVUPS Y3, 96(DI)  \
	VMOVUPS Y4, 128(DI) \
	VMOVUPS Y5, 160(DI) \
	VMOVUPS Y6, 192(DI) \
	VMOVUPS Y7, 224(DI)

#define TAP(at, y, z) \
	VPMOVZXWD at(R8)(AX*1), z \
	VPSLLD    $16, z, z       \
	VADDPS    z, y, y

// func addTapsVector(out *float32, tokens **token, offset, count int)
TEXT ·addTapsVector(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ tokens+8(FP), SI
	MOVQ offset+16(FP), DX
	MOVQ count+24(FP), CX
	MOVQ $4, R10

columns:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   DX, AX
	XORQ   BX, BX

next:
	MOVQ (SI)(BX*8), R8
	MOVQ 16(SI)(BX*8), R9 // what the window after the next one needs
	PREFETCHT0 (R9)(AX*1)
	PREFETCHT0 64(R9)(AX*1)
	TAP(0, Y0, Y8)
	TAP(16, Y1, Y9)
	TAP(32, Y2, Y10)
	TAP(48, Y3, Y11)
	TAP(64, Y4, Y12)
	TAP(80, Y5, Y13)
	TAP(96, Y6, Y14)
	TAP(112, Y7, Y15)
	ADDQ $512, AX
	INCQ BX
	CMPQ BX, CX
	JL   next
	STORE64
	ADDQ $128, DX
	ADDQ $256, DI
	DECQ R10
	JNZ  columns
	VZEROUPPER
	RET

// func bendVector(out, x *float32, plus *half, marks *uint64)
TEXT ·bendVector(SB), NOSPLIT, $0-32
	MOVQ   out+0(FP), DI
	MOVQ   x+8(FP), SI
	MOVQ   plus+16(FP), R8
	MOVQ   marks+24(FP), R9
	VXORPS Y2, Y2, Y2
	MOVQ   $32, CX

next:
	VMOVUPS   (SI), Y0
	VCMPPS    $30, Y2, Y0, Y1 // above zero
	VMOVMSKPS Y1, AX
	MOVB      AX, (R9)
	VMAXPS    Y0, Y2, Y0
	VPMOVZXWD (R8), Y1
	VPSLLD    $16, Y1, Y1
	VADDPS    Y1, Y0, Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $32, SI
	ADDQ      $16, R8
	ADDQ      $32, DI
	INCQ      R9
	DECQ      CX
	JNZ       next
	VZEROUPPER
	RET

// Sixteen columns of two lines, side by side and in 16 bits, times the pair in Y8.
#define LINES(at, low, high) \
	VMOVDQU    at(SI)(AX*1), X9       \
	VMOVDQU    at(SI)(BX*1), X10      \
	VPUNPCKLBW X10, X9, X11           \
	VPUNPCKHBW X10, X9, X12           \
	VPMOVSXBW  X11, Y11               \
	VPMOVSXBW  X12, Y12               \
	VPMADDWD   Y8, Y11, Y11           \
	VPMADDWD   Y8, Y12, Y12           \
	VPADDD     Y11, low, low          \
	VPADDD     Y12, high, high

#define SCALED(at, y) \
	VCVTDQ2PS y, y         \
	VMULPS    Y8, y, y     \
	VADDPS    at(DI), y, y \
	VMOVUPS   y, at(DI)

// func addLinesVector(out *float32, weights *int8, pairs *pair, count, shift int, scale float32)
TEXT ·addLinesVector(SB), NOSPLIT, $0-44
	MOVQ out+0(FP), DI
	MOVQ weights+8(FP), SI
	ADDQ shift+32(FP), SI
	MOVQ $4, R10

columns:
	MOVQ  pairs+16(FP), DX
	MOVQ  count+24(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

next:
	MOVLQSX      (DX), AX
	MOVLQSX      4(DX), BX
	VPBROADCASTD 8(DX), Y8
	LINES(0, Y0, Y1)
	LINES(16, Y2, Y3)
	LINES(32, Y4, Y5)
	LINES(48, Y6, Y7)
	ADDQ $12, DX
	DECQ CX
	JNZ  next

	VBROADCASTSS scale+40(FP), Y8
	SCALED(0, Y0)
	SCALED(32, Y1)
	SCALED(64, Y2)
	SCALED(96, Y3)
	SCALED(128, Y4)
	SCALED(160, Y5)
	SCALED(192, Y6)
	SCALED(224, Y7)
	ADDQ $64, SI
	ADDQ $256, DI
	DECQ R10
	JNZ  columns
	VZEROUPPER
	RET
