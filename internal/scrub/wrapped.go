package scrub

import "strings"

// This file finds the value within an expression: hash("…"), env("NAME", "…"), env.NAME || "…", a block of YAML.

// wrapped is the offset of the value within what a's operator assigns, or 0 if the value itself stands there.
func (f *finder) wrapped(a *assignment) int {
	s := f.text
	i := a.start
	if i < len(s) && (s[i] == '|' || s[i] == '>') {
		return blockOf(s, i)
	}
	for i < len(s) && i < a.start+40 && (setWord.has(s[i]) || s[i] == '.' || s[i] == ':') {
		i++
	}
	if i == a.start || i == len(s) || s[i] != '(' && s[i] != '[' {
		return 0
	}
	callee := lower(s[a.start:i])
	callee = callee[strings.LastIndexAny(callee, ".:")+1:]
	if n := afterLength(s, i, callee); n > 0 {
		return n
	}
	at := skipBlanks(s, i+1, 2)
	if at == len(s) || !isQuote(s[at]) {
		return 0
	}
	switch callee {
	case "password", "md5", "sha1", "sha2", "sha256", "crypt", "encrypt", "hash", "bcrypt", "some", "str", "string", "bytes":
		return at
	case "getenv", "get", "env", "environ", "config":
		if end := quotedEnd(s, at+1, s[at]); end < len(s) && end-at < maxName {
			if next := skipBlanks(s, end+1, 2); next < len(s) && s[next] == ',' {
				if next = skipBlanks(s, next+1, 4); next < len(s) && isQuote(s[next]) {
					return next
				}
			}
		}
	}
	return 0
}

// afterLength is the offset of the value in string(12) "…", as PHP dumps it, or 0.
func afterLength(s string, i int, callee string) int {
	if callee != "string" && callee != "str" {
		return 0
	}
	n := i + 1
	for n < len(s) && n < i+6 && setDigit.has(s[n]) {
		n++
	}
	if n == i+1 || n == len(s) || s[n] != ')' {
		return 0
	}
	if n = skipBlanks(s, n+1, 2); n < len(s) && isQuote(s[n]) {
		return n
	}
	return 0
}

// blockOf is the offset of the first line of YAML's block scalar whose | or > is at i, or 0.
func blockOf(s string, i int) int {
	n := i + 1
	for n < len(s) && n < i+4 && (s[n] == '-' || s[n] == '+' || setDigit.has(s[n])) {
		n++
	}
	if n == len(s) || s[n] != '\n' {
		return 0
	}
	if at := skipBlanks(s, n+1, maxBlanks); at > n+1 {
		return at
	}
	return 0
}

// fallback moves a to the quoted value behind an operator for defaults: process.env.X || "…", ENV["X"] ?? "…", x or "…".
func (f *finder) fallback(a *assignment) {
	s := f.text
	if a.quote != 0 || a.policy != password && a.policy != token {
		return
	}
	for i := a.end; i < len(s) && i < a.end+maxName && s[i] != '\n' && s[i] != ';'; i++ {
		if b := s[i]; b != '|' && b != '?' && b != ' ' {
			continue
		}
		for _, op := range [...]string{"|| ", "?? ", " or ", "?: "} {
			at := i + len(op)
			if strings.HasPrefix(s[i:], op) && at < len(s) && isQuote(s[at]) {
				end := quotedEnd(s, at+1, s[at])
				f.work += end - a.end
				if end > at+1 {
					a.start, a.end, a.quote, a.pair = at+1, end, s[at], true
				}
				return
			}
		}
	}
}
