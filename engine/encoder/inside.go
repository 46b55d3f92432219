//go:build encoder

package encoder

import _ "embed"

// inside is the weights file that the program has in it. The scripts in build make it;
// without it, build without the tag.
//
//go:embed weights.bin
var inside string
