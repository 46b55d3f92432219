package visible

// The code points that are drawn like one ASCII letter or digit, in hex: the pairs of the
// table of confusables of Unicode Technical Standard #39 (unicode.org/reports/tr39; Unicode
// License), as the Python package confusable-homoglyphs 3.3.1 has them, and those of the dot, the colon, the semicolon and the
// slash, which stand in doses and times. frontend/src/text/lookalikes.ts has the same; the
// test of this package compares them.
const (
	// styledCodes are Latin letters, digits and signs in other shapes: nobody writes them by
	// chance. The dotless i is left out: it is a letter of Turkish.
	styledCodes = "17f 184 18d 196 1a6-1a7 1b7 1bc-1bd 1c0 21c 222-223 251 261 263 269-26a 26f 28b 28f 2d0 2f8 37e 1d04 1d0f 1d11 1d1c 1d20-1d22 1d83 1d8c 1e9d " +
		"1eff 2024 2044 205a 2102 210a-210e 2110-2113 2115 2119-211d 2124 2128 212a 212c-2131 2133-2134 2139 213d 2145-2149 2160 2164 2169 216c-2170 " +
		"2174 2179 217c-217e 2215 2236 2373-2374 237a 23fd 2573 29f8 a731 a75a a76a a76e a789 a798-a799 a79f a7ab a7b2-a7b4 ab32 ab35 ab3d ab47-ab48 " +
		"ab4e ab52 ab5a ff10-ff19 ff21-ff3a ff41-ff5a ffe8 102f5 1d400-1d454 1d456-1d49c 1d49e-1d49f 1d4a2 1d4a5-1d4a6 1d4a9-1d4ac 1d4ae-1d4b9 1d4bb " +
		"1d4bd-1d4c3 1d4c5-1d505 1d507-1d50a 1d50d-1d514 1d516-1d51c 1d51e-1d539 1d53b-1d53e 1d540-1d544 1d546 1d54a-1d550 1d552-1d6a5 1d6a8-1d7cb " +
		"1d7ce-1d7ff 1f74c 1f768 1fbf0-1fbf9"

	// twinCodes are letters of other scripts. Words of those scripts are full of them.
	twinCodes = "37a 37f 391-392 395-397 399-39a 39c-39d 39f 3a1 3a4-3a5 3a7 3b1 3b3 3b9 3bd 3bf 3c1 3c3 3c5 3d2 3dc 3e8 3f1-3f3 3f9-3fa 405-406 408 410 412 " +
		"415 417 41a 41c-41e 420-423 425 42c 430-431 433 435 43e 440-441 443 445 455-456 458 461 474-475 4ae-4af 4bb 4bd 4c0 4cf 4e0 501 50c 51b-51d " +
		"54d 54f 555 561 563 566 570 578 57c-57d 581 584-585 6f1 6f5 6f7 966 9e6 9ea 9ed a66-a67 a6a ae6 b20 b66 b68 be6 c66 ce6 d20 d66 d6d e50 ed0 " +
		"101d 1040 10e7 10ff 1200 12d0 13a0-13a2 13a5 13a9-13ac 13b3 13b7 13bb 13bd 13c0 13c2-13c3 13ce-13cf 13d2 13d4-13d5 13d9-13da 13de-13df 13e2 " +
		"13e6-13e7 13ee 13f3-13f4 142f 144c 146d 146f 1472 148d 14aa 14bf 1541 157c-157d 1587 15af 15b4 15c5 15de 15ea 15f0 15f7 16b7 16c1 16d5-16d6 " +
		"1d26 1fbe 2c85 2c8e 2c92 2c94 2c98 2c9a 2c9e-2c9f 2ca2-2ca6 2ca8 2cac 2cca 2ccc 2cd0 2cd2 2d38-2d39 2d4f 2d54-2d55 2d5d 3007 a4d0-a4d4 " +
		"a4d6-a4d7 a4d9-a4da a4dc-a4dd a4df-a4e3 a4e6-a4e7 a4ea-a4ec a4ee a4f0 a4f2-a4f4 a644 a647 a6df a6ef ab75 ab81 ab83 ab93 aba9-abaa abaf 10282 " +
		"10286-10287 1028a 10290 10292 10295-10297 102a0-102a2 102a5 102ab 102b0-102b2 102b4 102cf 10301-10302 10309 10311 10315 10317 1031a 10320 " +
		"10322 10404 10415 1041b 10420 1042c 1043d 10448 104b4 104c2 104ce 104d2 104ea 104f6 10513 10516 10518 1051c-1051d 10525-10527 114d0 11706 " +
		"1170a 1170e-1170f 118a0 118a2-118a4 118a6 118a9 118ac 118ae-118af 118b2 118b5 118b8 118bb-118bc 118c0-118c4 118c6 118c8 118ca 118cc " +
		"118d5-118d8 118dc 118e0 118e5-118e6 118e9 118ec 118ef 118f2 16f08 16f0a 16f16 16f28 16f35 16f3a-16f3b 16f40 16f42-16f43"
)
