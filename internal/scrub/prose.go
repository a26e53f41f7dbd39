package scrub

import "strings"

// This file finds secrets in sentences: "my password is …", "the seed phrase is …".

// maxGap bounds the words between a name and the "is" that belongs to it, in bytes: "the password for the staging box is …".
const maxGap = 64

// prose redacts the value that a sentence gives to the name s[start:end], and reports whether it found one.
func (f *finder) prose(p policy, start, end int) bool {
	s := f.text
	if end == len(s) || s[end] != ' ' {
		return false
	}
	before := wordBefore(s, start)
	if isShort(s[start:end]) && !isOwner(before) { // "pass to"
		return false
	}
	gap := false
	for i := end; i < len(s) && s[i] == ' ' && i < end+maxGap; {
		word := s[i+1 : wordEnd(s, i+1)]
		f.work += len(word) + 1
		switch {
		case isVerb(word), !gap && equalFold(word, "to"):
			if f.said(p, i+1+len(word), isOwner(before)) {
				return true
			}
			if !equalFold(word, "to") {
				return false
			}
			gap = true
		case !gap && isWith(before):
			return f.said(p, i, false)
		case !gap && !isPreposition(word), !allIn(word, setWord|setDash|setDot):
			return false
		default:
			gap = true
		}
		i += 1 + len(word)
	}
	return false
}

// said redacts the word behind the blank at i if it looks like a value of a name with policy p. owned says that somebody spoke
// of "my password", so that a word with a digit is enough.
func (f *finder) said(p policy, i int, owned bool) bool {
	s := f.text
	start := skipBlanks(s, i, 4)
	if start < len(s) && s[start] == ':' {
		start = skipBlanks(s, start+1, 4)
	}
	quoted := start < len(s) && isQuote(s[start])
	start, end := f.trimmed(start, wordEnd(s, start))
	for end > start && strings.IndexByte(".,;:)]}", s[end-1]) >= 0 {
		end--
		start, end = f.trimmed(start, end)
	}
	v := s[start:end]
	if quoted && p == password && f.spoken(i) {
		return true
	}
	word := quoted && p == password && len(v) >= 8 && allIn(v, setLower) && !isProse(v) && !isWordOfForms(v)
	if v == "" || !word && !isSaid(v, p, owned) {
		return false
	}
	f.add(start, end, p.id(), rankName)
	return true
}

// spoken redacts a passphrase of several words in quotes behind i: the passphrase is "…".
func (f *finder) spoken(i int) bool {
	s := f.text
	i = skipBlanks(s, i, 4)
	if i >= len(s) || !isQuote(s[i]) || !foldContains(s[max(0, i-maxGap):i], "passphrase") {
		return false
	}
	end := quotedEnd(s, i+1, s[i])
	f.work += end - i
	if v := s[i+1 : end]; strings.Count(v, " ") >= 2 && allIn(v, setLower|setSpace|setDash) {
		f.add(i+1, end, "password", rankName)
		return true
	}
	return false
}

// isSaid reports whether a person says v of a password or token: neither word nor place, algorithm, number or name.
func isSaid(v string, p policy, owned bool) bool {
	switch {
	case len(v) < 6 || len(v) > 256 || !hasDigit(v) || !hasLetter(v) && !hasSymbol(v) || distinct(v) < 5:
		return false
	case slug(v) || isPath(v) || dotted(v) || isReference(v, 0) || strings.ContainsAny(v, "/=(<{[\\"):
		return false
	case p == token:
		return len(v) >= 16 && hasRandomPart(v, 12)
	case hasSymbol(v):
		return true
	case !allIn(v, setAlnum):
		return hasRandomPart(v, 6)
	case isAlgorithm(v) || isName(v) || isName(strings.TrimLeft(v, "0123456789")): // 1Password
		return false
	}
	letters := len(v) - len(strings.TrimLeft(v, letterBytes))
	if !allIn(v[letters:], setDigit) { // more than a word and its number
		return letters > 0 || countIn(v, setDigit) < len(v)-3 && mixed(v) // 120ms, 32bytes
	}
	return owned || len(v)-letters >= 3
}

const letterBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isAlgorithm reports whether v begins like the names of hashes, ciphers and encodings: sha256, base64, ed25519.
func isAlgorithm(v string) bool {
	for _, from := range [...]string{
		"sha", "md", "hs", "rs", "es", "ps", "aes", "ed", "x25519", "p256", "p384", "utf", "base", "argon", "pbkdf", "bcrypt", "scrypt", "blake", "crc",
		"ascii", "iso", "http", "ipv", "oauth", "rsa", "crypt", "chacha", "ripemd", "win", "latin", "python", "ubuntu", "version", "step", "line",
		"issue", "page", "test", "field",
	} {
		if foldPrefix(v, from) && setDigit.has(v[len(v)-1]) && allIn(v[len(from):], setAlnum) && !mixed(v[1:]) {
			return true
		}
	}
	return foldPrefix(v, "argon2") || foldPrefix(v, "sha2") || foldPrefix(v, "pbkdf2")
}

func isVerb(w string) bool {
	switch lower(w) {
	case "is", "was", "ist", "is:", "=":
		return true
	}
	return false
}

func isPreposition(w string) bool {
	switch lower(w) {
	case "for", "of", "on", "at", "in", "to", "here", "there", "now", "f\u00fcr":
		return true
	}
	return false
}

func isOwner(w string) bool {
	switch lower(w) {
	case "my", "our", "your", "his", "her", "their", "root", "admin", "sudo":
		return true
	}
	return false
}

func isWith(w string) bool {
	switch lower(w) {
	case "with", "using", "use":
		return true
	}
	return false
}

// wordEnd is the end of the word at i: the next white space, within maxRun bytes.
func wordEnd(s string, i int) int {
	end := i
	for end < len(s) && end-i < maxGap*4 && !setSpace.has(s[end]) {
		end++
	}
	return end
}

// wordBefore is the word before the one at start, or "".
func wordBefore(s string, start int) string {
	end := start
	for end > 0 && start-end < 2 && s[end-1] == ' ' {
		end--
	}
	if end == start {
		return ""
	}
	i := end
	for i > 0 && end-i < 16 && setLetter.has(s[i-1]) {
		i--
	}
	return s[i:end]
}

func equalFold(a, lower string) bool { return len(a) == len(lower) && foldPrefix(a, lower) }

// phrase redacts the words of a wallet's seed phrase, whose name ends at end: 12 to 24 words of three to eight letters.
func (f *finder) phrase(end int) {
	s := f.text
	for end < len(s) && inName(s[end]) {
		end++
	}
	i := skipAssign(s, end)
	if foldPrefix(s[i:], "is") {
		i = skipAssign(s, i+len("is"))
	}
	start, stop, words := i, i, 0
	for words < 24 && i < len(s) {
		n := i
		for n < len(s) && n-i <= 8 && setLower.has(s[n]) {
			n++
		}
		if n-i < 3 || n-i > 8 || isFiller(s[i:n]) || wordAt(s, n) {
			break
		}
		words, stop = words+1, n
		if n == len(s) || s[n] != ' ' {
			break
		}
		i = n + 1
	}
	f.work += stop - start
	if words >= 12 && (stop == len(s) || words == 24 || words%3 == 0) {
		f.add(start, stop, "mnemonic", rankName)
	}
}

// skipAssign skips quotes, blanks and what assigns, a few bytes of them.
func skipAssign(s string, i int) int {
	for end := i + 8; i < len(s) && i < end && strings.IndexByte(" \t\n\"'`=:>\\", s[i]) >= 0; {
		i++
	}
	return i
}

// isFiller reports whether w is a word of sentences, which no list of seed words has.
func isFiller(w string) bool {
	switch w {
	case "the", "and", "for", "are", "was", "but", "has", "its", "you", "your", "not", "with", "from":
		return true
	}
	return false
}
