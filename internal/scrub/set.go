package scrub

// set is a set of bytes, as bits for the groups that shapes are made of.
type set uint16

const (
	setDigit  set = 1 << iota
	setAF         // a to f
	setGZ         // g to z
	setUpAF       // A to F
	setUpGZ       // G to Z
	setUnder      // _
	setDash       // -
	setDot        // .
	setBase64     // + and /
	setEqual      // =
	setTilde      // ~
	setSpace      // blank, tab, newline, carriage return

	setLower  = setAF | setGZ
	setUpper  = setUpAF | setUpGZ
	setLetter = setLower | setUpper
	setAlnum  = setDigit | setLetter
	setWord   = setAlnum | setUnder
)

// class is the set that a letter in a shape stands for, or 0.
func class(letter byte) set {
	switch letter {
	case 'd':
		return setDigit
	case 'x':
		return setDigit | setAF
	case 'X':
		return setDigit | setAF | setUpAF
	case 'l':
		return setDigit | setLower
	case 'U':
		return setDigit | setUpper
	case 'L':
		return setLetter
	case 'a':
		return setAlnum
	case 'w':
		return setWord
	case 'u':
		return setWord | setDash
	case 'e':
		return setWord | setDash | setEqual
	case 'b':
		return setAlnum | setBase64
	case 'B':
		return setAlnum | setBase64 | setEqual
	case 's':
		return setWord | setDash | setBase64 | setEqual
	case 't':
		return setWord | setDash | setDot | setEqual
	case 'q':
		return setWord | setDash | setDot | setTilde
	}
	return 0
}

func (c set) has(b byte) bool { return sets[b]&c != 0 }

// wordAt reports whether a word character is at i; there is none outside of the text.
func wordAt(s string, i int) bool { return i >= 0 && i < len(s) && setWord.has(s[i]) }

// fold is b in lower case, for ASCII only.
func fold(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// foldPrefix reports whether s begins, in any case, with the lower-case prefix.
func foldPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if fold(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}
