package scrub

import "strings"

// This file says what a value looks like: drawn by a machine, or thought of by a person.

// hasRandomPart reports whether v contains least letters and digits in a row that look random.
func hasRandomPart(v string, least int) bool {
	for i := 0; i < len(v); i++ {
		start := i
		for i < len(v) && setAlnum.has(v[i]) {
			i++
		}
		if part := v[start:i]; len(part) >= least && !identifier(part) {
			return true
		}
	}
	return false
}

// dotted reports whether v is names joined by dots, like fields, files and hosts: user.password,
// main.go, a.example.com.
func dotted(v string) bool {
	parts := 0
	for part := range strings.SplitSeq(v, ".") {
		if part == "" || !allIn(part, setWord) || setDigit.has(part[0]) || len(part) > 32 || !identifier(part) {
			return false
		}
		parts++
	}
	return parts > 1
}

// identifier reports whether a person chose v. Upper case, lower case and digits then do not
// alternate as in random text: capitals only begin words or form short acronyms.
func identifier(v string) bool {
	if len(v) >= 16 && allIn(v, setDigit|setAF) {
		return countIn(v, setDigit) < 3
	}
	changes, capitals, most := 0, 0, 0
	for i := range len(v) {
		if setUpper.has(v[i]) {
			capitals++
			most = max(most, capitals)
		} else {
			capitals = 0
		}
		if i > 0 && kindOf(v[i]) != kindOf(v[i-1]) && v[i] != '_' && v[i-1] != '_' && !beginsWord(v, i) && !beginsWord(v, i-1) {
			changes++
		}
	}
	return changes <= max(2, len(v)/4) && (most <= 4 || !mixed(v))
}

// beginsWord reports whether a capital and two small letters stand at i.
func beginsWord(v string, i int) bool {
	return i+2 < len(v) && setUpper.has(v[i]) && setLower.has(v[i+1]) && setLower.has(v[i+2])
}

// kindOf is lower case, upper case, digit or other.
func kindOf(b byte) set {
	for _, kind := range [...]set{setLower, setUpper, setDigit} {
		if kind.has(b) {
			return kind
		}
	}
	return 0
}

// slug reports whether v is words and small numbers joined by - _ . / or :, like my-app-v2 or
// us_east_1.
func slug(v string) bool {
	parts, start := 0, 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && !(setDash | setUnder | setDot).has(v[i]) && v[i] != '/' && v[i] != ':' {
			continue
		}
		if !slugPart(v[start:i]) {
			return false
		}
		start = i + 1
		parts++
	}
	return parts > 1
}

// slugPart reports whether p is a word, a number of up to four digits, or a letter or two and a
// number.
func slugPart(p string) bool {
	i := 0
	for i < len(p) && setLetter.has(p[i]) {
		i++
	}
	digits := len(p) - i
	if !allIn(p[i:], setDigit) || digits > 4 || len(p) > 16 {
		return false
	}
	caseChanges := 0
	for j := 1; j < i; j++ {
		if setUpper.has(p[j]) != setUpper.has(p[j-1]) {
			caseChanges++
		}
	}
	return caseChanges <= 3 && (digits == 0 || i <= 6)
}

// isPath reports whether v begins like a file's path.
func isPath(v string) bool {
	for _, root := range [...]string{"/", "./", "../", "~/", "c:\\"} {
		if foldPrefix(v, root) {
			return len(v) < 2 || v[0] != '/' || strings.Count(v, "/") > 1 || allIn(v[1:], setWord|setDash|setDot)
		}
	}
	return false
}

// hasFolder reports whether one of the parts between slashes is a word in small letters, which base64 hardly has.
func hasFolder(v string) bool {
	for part := range strings.SplitSeq(v, "/") {
		if len(part) >= 3 && allIn(part, setLower|setDot) {
			return true
		}
	}
	return false
}

// isSentence reports whether a quoted value is text for people: "Enter your password", "must not
// be empty".
func isSentence(v string) bool {
	words := 1 + strings.Count(v, " ")
	start := 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && v[i] != ' ' {
			continue
		}
		if w := v[start:i]; hasDigit(w) && (hasLetter(w) || hasSymbol(w)) {
			return false
		}
		start = i + 1
	}
	return words > 1
}

func allIn(s string, c set) bool {
	for i := range len(s) {
		if !c.has(s[i]) {
			return false
		}
	}
	return true
}

func countIn(s string, c set) (n int) {
	for i := range len(s) {
		if c.has(s[i]) {
			n++
		}
	}
	return n
}

func hasDigit(s string) bool  { return countIn(s, setDigit) > 0 }
func hasLetter(s string) bool { return countIn(s, setLetter) > 0 }
func mixed(s string) bool     { return countIn(s, setLower) > 0 && countIn(s, setUpper) > 0 }

// hasSymbol reports whether s has a character of passwords that words do not have.
func hasSymbol(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '!', '@', '#', '$', '%', '^', '&', '*', '+', '?', '~':
			return true
		}
	}
	return false
}

// hash reports whether a value looks like a commit or a digest: lower-case hex of their lengths.
func hash(value string) bool {
	for i := range len(value) {
		if !(setDigit | setAF).has(value[i]) {
			return false
		}
	}
	return len(value) == 32 || len(value) == 40 || len(value) == 64
}

// distinct counts the different bytes of s.
func distinct(s string) int {
	var seen [4]uint64
	n := 0
	for i := range len(s) {
		bit := uint64(1) << (s[i] & 63)
		if seen[s[i]>>6]&bit == 0 {
			seen[s[i]>>6] |= bit
			n++
		}
	}
	return n
}

// isScattered reports whether digits stand among the letters of v as no identifier has them: kornB7ulme, not sha256Sum or user2Name.
func isScattered(v string) bool {
	if !mixed(v) {
		return false
	}
	for i := 1; i+1 < len(v); i++ {
		if setDigit.has(v[i]) && setLower.has(v[i+1]) && setLetter.has(v[i-1]) && (setUpper.has(v[i-1]) || i > 1 && !setUpper.has(v[i-2])) && len(v) >= 8 {
			return true
		}
	}
	return false
}

// isStrong reports whether v, of which nothing says that it is a secret, looks like a password that somebody chose: letters and
// digits scattered, or with a symbol.
func isStrong(v string) bool {
	if len(v) < 8 || len(v) > maxName || !hasDigit(v) || !hasLetter(v) || distinct(v) < 6 || strings.ContainsAny(v, " /\\=(<>{}[],;:'\"`|") {
		return false
	}
	if slug(v) || dotted(v) || isReference(v, 0) || isName(v) || isAlgorithm(v) || hash(v) {
		return false
	}
	if isAddress(v) {
		return false
	}
	if strings.ContainsAny(v, "!@#$%^&*?") && countIn(v, setLetter) >= 4 {
		return v[0] != '@' && v[0] != '#' && v[0] != '-' && v[0] != '$'
	}
	return isScattered(v)
}

// isDrawn reports whether v, behind a colon and at the end of its line, has the mixture of a generated password.
func isDrawn(v string) bool {
	return len(v) >= 8 && len(v) <= maxName && hasDigit(v) && mixed(v) && !strings.ContainsAny(v, "/\\=<>{}[]") && !slug(v) && !dotted(v) &&
		!isAddress(v) && !isName(v) &&
		!isReference(v, 0) && (countIn(v, setAlnum) < len(v) || isScattered(v))
}

// isAddress reports whether v is user@host.
func isAddress(v string) bool {
	user, host, ok := strings.Cut(v, "@")
	if !ok || len(user) < 2 || host == "" || !allIn(user, setWord|setDash|setDot) || !allIn(host, setAlnum|setDash|setDot) {
		return false
	}
	letters := strings.TrimLeft(host, letterBytes)
	return strings.Contains(host, ".") || allIn(letters, setDigit)
}
