package scrub

import "strings"

// secret reports whether the assigned value is a secret: no reference to one, no placeholder, no
// code, and as random as its name requires.
func (a *assignment) secret(s string) bool {
	v := strings.TrimSpace(s[a.start:a.end])
	if v == "" || a.short && !a.chosen(v) || a.policy == signed && !a.tight || sameWords(a.name, v) || a.isKey(s) || isReference(v, a.quote) ||
		isWordOfForms(v) {
		return false
	}
	if isPasswordWord(v) || a.quote == 0 && a.isCode(s, v) || a.pair && !hasDigit(v) && !hasSymbol(v) {
		return false
	}
	switch a.policy {
	case password:
		return a.isPassword(v)
	case token:
		return isToken(v, a)
	}
	return isWeakToken(v, a)
}

// sameWords reports whether two names have the same words: CHALLENGE_PASSWORD and
// challengePassword.
func sameWords(a, b string) bool {
	var wa, wb [maxWords]string
	n := split(a, &wa)
	return len(b) <= maxName && n == split(b, &wb) && wa == wb && allIn(b, setWord|setDash)
}

// isKey reports whether the quoted value is the next name: {"action": "pass", "test": 1}.
func (a *assignment) isKey(s string) bool {
	i := skipBlanks(s, a.end+1, 2)
	return a.quote != 0 && i < len(s) && s[i] == ':'
}

// isPassword judges the value of a name like password. The cases range from name=value to a
// sentence about passwords.
func (a *assignment) isPassword(v string) bool {
	blanks := strings.Count(v, " ")
	switch {
	case a.quote != 0 && blanks > 0:
		return !isSentence(v) || (a.tight || a.flag) && blanks >= 2 && foldContains(a.name, "passphrase") && allIn(v, setLower|setSpace)
	case a.quote != 0:
		return len(v) >= 3
	case a.tight:
		return !(allIn(v, setDigit) && len(v) < 4) && !isPath(v)
	case a.flag:
		return v[0] != '-' && len(v) >= 3 && !isPath(v) && !isProse(v)
	}
	if (a.line || a.user || a.tag) && len(v) >= 6 && allIn(v, setLower) && !isProse(v) && !isPasswordWord(a.name) {
		return true
	}
	return len(v) >= 4 && !isPath(v) && (hasDigit(v) || hasSymbol(v)) && !slug(v)
}

// chosen judges the value of a name that proves little alone, like pass.
func (a *assignment) chosen(v string) bool {
	return isSaid(v, a.policy, false) || a.user && (a.quote != 0 || hasDigit(v) || allIn(v, setLower)) && len(v) >= 6 || a.quote == 0 && a.line &&
		isSaid(v, a.policy, true)
}

// isProse reports whether v is a word that follows a flag's name in a text about it.
func isProse(v string) bool {
	switch lower(strings.TrimRight(v, ".:!?")) {
	case "option", "options", "flag", "flags", "argument", "arguments", "parameter", "value", "values", "and", "the", "for", "from", "with", "file",
		"field", "can", "must", "should", "when", "are", "will", "may", "was", "which", "that", "this", "instead", "not", "then", "but", "because",
		"via", "also", "only", "than", "does", "did", "has", "have", "into", "here", "there", "where", "what", "how", "why", "who", "supplied",
		"given", "passed", "set", "needed", "used", "support", "handling", "example", "see":
		return true
	}
	return false
}

// isToken judges the value of a name like api_key. A quoted value may have a word before it, like
// Bearer.
func isToken(v string, a *assignment) bool {
	if i := strings.LastIndexByte(v, ' '); i >= 0 {
		return len(v)-i > 16 && hasRandomPart(v[i+1:], 12)
	}
	if isPath(v) && !hasRandomPart(v, 10) || slug(v) || dotted(v) || isName(v) {
		return false
	}
	least := 8
	if a.tight && a.quote == 0 {
		least = 6
	}
	switch {
	case !hasLetter(v):
		return len(v) >= 16 && distinct(v) >= 5
	case !hasDigit(v):
		return len(v) >= 20 && mixed(v) && distinct(v) >= 10
	}
	return len(v) >= least && distinct(v) >= 5
}

// isWeakToken judges the value of a name like key, auth or signature: only text that nobody would
// write by hand counts.
func isWeakToken(v string, a *assignment) bool {
	v = strings.TrimRight(v, "?!") // the end of a sentence
	if len(v) < 16 || strings.Count(v, "/") > 2 && hasFolder(v) || hash(v) && !a.tight || strings.Contains(strings.TrimRight(v, "="), "=") {
		return false
	}
	return allIn(v, setWord|setDash|setDot|setBase64|setEqual|setTilde) && hasDigit(v) && hasLetter(v) && (hasRandomPart(v, 12) || len(v) >= 32 &&
		mixed(v) && allIn(v, setAlnum|setBase64|setEqual) && !hasFolder(v) && hasRandomPart(v, 6))
}

// isReference reports whether a value stands for a secret elsewhere, or for none: $TOKEN,
// <token>, {{ token }}, ***.
func isReference(v string, quote byte) bool {
	if v == "" {
		return true
	}
	if quote == 0 && len(v) > 1 && (v[0] == '!' && allIn(v[1:], setLetter) || v[0] == ':' &&
		allIn(v[1:], setWord)) { // !vault, !Ref of YAML; :parameter of SQL
		return true
	}
	last := v[len(v)-1]
	switch v[0] {
	case '$':
		return isVariable(v, quote)
	case '<':
		return last == '>'
	case '{':
		return last == '}' || strings.HasPrefix(v, "{{") || quote == 0
	case '%':
		return len(v) <= 3 || last == '%'
	case '@':
		return isPath(v[1:])
	case '`', '(', '[':
		return quote == 0 || last == ')' || last == ']'
	}
	for _, from := range [...]string{
		"env.", "env[", "env(", "env:", "process.env", "os.environ", "os.getenv", "getenv", "system.getenv", "import.meta", "deno.env", "secrets.",
		"vars.", "vault:", "op://", "arn:", "ref+", "file:", "fd:", "http://", "https://", "data.", "var.", "local.", "self.", "this.", "config.",
		"settings.", "args.", "github.",
	} {
		if foldPrefix(v, from) {
			return true
		}
	}
	return isPlaceholder(v)
}

// isPlaceholder reports whether documentation and masks use the value instead of a secret.
func isPlaceholder(v string) bool {
	if !hasDigit(v) {
		for _, from := range [...]string{"your", "changeme", "change-me", "change_me", "placeholder", "example"} {
			if foldPrefix(v, from) {
				return true
			}
		}
	}
	for _, part := range [...]string{"%s", "%v", "%[", "…", "***"} {
		if strings.Contains(v, part) && !hasDigit(v) {
			return true
		}
	}
	if foldContains(v, "redacted") || foldContains(v, "xxxx") && distinct(v) < 8 {
		return true
	}
	return distinct(v) < 2 || allIn(v, setDot|setDash|setUnder|setEqual) || strings.HasSuffix(v, "...")
}

// isVariable reports whether a value with a leading $ names a variable, and is not a hash like
// $2b$12$… or a password in single quotes.
func isVariable(v string, quote byte) bool {
	if len(v) < 2 {
		return true
	}
	if quote == '\'' && !(setWord.has(v[1]) || v[1] == '{' || v[1] == '(') {
		return false
	}
	switch {
	case v[1] == '{' || v[1] == '(':
		return true
	case strings.Count(v, "$") >= 3 && len(v) >= 20: // crypt(3)
		return false
	case quote == '\'':
		return allIn(v[1:], setUpper|setUnder|setDigit) || allIn(v[1:], setLower|setUnder)
	}
	return setWord.has(v[1]) || v[1] == '@' || v[1] == '*' || v[1] == '?'
}

// isWordOfForms reports whether types, options and labels put the word beside such names.
func isWordOfForms(v string) bool {
	if len(v) > 12 {
		return false
	}
	switch lower(v) {
	case "string", "str", "text", "bool", "boolean", "int", "integer", "number", "any", "null", "nil", "none", "undefined", "true", "false", "yes",
		"no", "on", "off", "required", "optional", "password", "passwd", "pass", "secret", "token", "hidden", "prompt", "stdin", "empty", "unset",
		"masked", "unknown", "object", "bytes", "[]byte", "char", "varchar", "uintptr", "byte", "rune", "uint", "todo", "tbd", "n/a", "ok", "is",
		"bearer", "basic", "auto", "default",
		"inherit", "read", "fail", "failed", "failure", "passed", "skip", "skipped", "warn", "success", "flaky", "write", "error",
		"missing", "invalid", "expired", "wrong", "incorrect", "void", "never", "ask", "ascii", "compat", "files", "systemd":
		return true
	}
	return false
}

// isCode reports whether an unquoted value is an expression: a call, an index, a field, another
// variable with a secret's name. name=value in a shell is none of these.
func (a *assignment) isCode(s, v string) bool {
	if a.compared && allIn(v, setWord|setDot) {
		return true
	}
	if strings.HasPrefix(v, "/^") { // a regular expression
		return true
	}
	if i := strings.IndexByte(v, '('); i > 0 {
		return wordAt(v, i-1)
	}
	if i := strings.IndexByte(v, '['); i > 0 || strings.IndexByte(v, '{') > 0 {
		return true
	}
	if at := strings.LastIndexByte(v, '.'); at > 0 && allIn(v[:at], setWord) && allIn(v[at+1:], setUpper|setUnder|setDigit) && strings.Contains(v[at:], "_") {
		return true
	}
	if dotted(v) && policyOf(v[strings.LastIndexByte(v, '.')+1:]) != notSecret {
		return true
	}
	if (a.tight || a.flag) && !a.call {
		return allIn(v, setUpper|setUnder) && strings.Count(v, "_") > 0
	}
	if foldPrefix(strings.TrimPrefix(v, "-"), "0x") { // a number
		return true
	}
	if dotted(v) || isName(v) {
		return true
	}
	// A name with a dash, X-Api-Key, is no code's. One of 70 random values of 32 letters and digits passes for an identifier.
	drawn := strings.Contains(a.name, "-") && len(v) >= 16 && hasDigit(v)
	if allIn(v, setWord) && !setDigit.has(v[0]) && identifier(v) && (mixed(v) || strings.Contains(v, "_")) && !drawn && !isScattered(v) {
		return true
	}
	if a.call && (allIn(v, setLetter|setUnder) || a.end < len(s) && s[a.end] == ')' && allIn(v, setWord|setDot) && !setDigit.has(v[0]) && len(v) < 12) {
		return true
	}
	return a.end < len(s) && (s[a.end] == ')' || s[a.end] == ';') && allIn(v, setLetter|setUnder)
}

// isName reports whether v is itself the name of a secret, such as another variable.
func isName(v string) bool {
	if v == "" || setDigit.has(v[0]) || !allIn(v, setWord) || !identifier(v) {
		return false
	}
	p := policyOf(v)
	return p == password || p == token
}
