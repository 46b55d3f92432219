#include "textflag.h"

// Each function works on eight values at a time; lengths are multiples of eight.

#define LANES \
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

next:
	VADDPS (SI), Y0, Y0
	ADDQ   $32, SI
	SUBQ   $8, CX
	JG     next
	LANES
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func squaresVector(x *float32, n int, mean float32) float32
TEXT ·squaresVector(SB), NOSPLIT, $0-28
	MOVQ         x+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSS mean+16(FP), Y2
	VXORPS       Y0, Y0, Y0

next:
	VMOVUPS (SI), Y3
	VSUBPS  Y2, Y3, Y3
	VMULPS  Y3, Y3, Y3
	VADDPS  Y3, Y0, Y0
	ADDQ    $32, SI
	SUBQ    $8, CX
	JG      next
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

// A step of addLine on eight values.
#define LINE(at, y) \
	VPMOVSXBD at(SI), y       \
	VCVTDQ2PS y, y            \
	VMULPS    Y4, y, y        \
	VADDPS    (4*at)(DI), y, y \
	VMOVUPS   y, (4*at)(DI)

// func addLineVector(out *float32, x *int8, n int, scale float32)
TEXT ·addLineVector(SB), NOSPLIT, $0-28
	MOVQ         out+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y4

next:
	LINE(0, Y0)
	LINE(8, Y1)
	LINE(16, Y2)
	LINE(24, Y3)
	ADDQ $32, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JG   next
	VZEROUPPER
	RET
