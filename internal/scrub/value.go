package scrub

import "strings"

// secret says whether the value of an assignment is one: not a reference to where the secret is, not a placeholder, not
// code, and as random as its name demands.
func (a *assignment) secret(s string) bool {
	v := strings.TrimSpace(s[a.start:a.end])
	if v == "" || a.short || a.policy == signed && !a.tight || sameWords(a.name, v) || a.isKey(s) || isReference(v, a.quote) || isWordOfForms(v) {
		return false
	}
	if a.quote == 0 && a.isCode(s, v) || a.told && !hasDigit(v) && !hasSymbol(v) {
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

// sameWords says whether two names consist of the same words: CHALLENGE_PASSWORD and challengePassword.
func sameWords(a, b string) bool {
	var wa, wb [maxWords]string
	n := split(a, &wa)
	return len(b) <= maxName && n == split(b, &wb) && wa == wb && allIn(b, setWord|setDash)
}

// isKey says whether the quoted value is the name of the next one: {"action": "pass", "test": 1}.
func (a *assignment) isKey(s string) bool {
	i := skipBlanks(s, a.end+1, 2)
	return a.quote != 0 && i < len(s) && s[i] == ':'
}

// isPassword judges what a name like password is given. Between name=value and a sentence about passwords lies all.
func (a *assignment) isPassword(v string) bool {
	blanks := strings.Count(v, " ")
	switch {
	case a.quote != 0 && blanks > 0:
		return !isSentence(v)
	case a.quote != 0:
		return len(v) >= 3
	case a.tight:
		return !(allIn(v, setDigit) && len(v) < 4) && !isPath(v)
	case a.flag:
		return v[0] != '-' && len(v) >= 3 && !isPath(v) && !isProse(v)
	}
	return len(v) >= 4 && !isPath(v) && (hasDigit(v) || hasSymbol(v)) && !slug(v)
}

// isProse says whether v is a word that follows the name of a flag in a text about it.
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

// isToken judges what a name like api_key is given. In quotes it may have a word before it, like Bearer.
func isToken(v string, a *assignment) bool {
	if i := strings.LastIndexByte(v, ' '); i >= 0 {
		return len(v)-i > 16 && hasRandomPart(v[i+1:], 12)
	}
	if isPath(v) || slug(v) || dotted(v) || isName(v) {
		return false
	}
	least := 8
	if a.tight && a.quote == 0 {
		least = 6
	}
	return len(v) >= least && hasDigit(v) && hasLetter(v) && distinct(v) >= 5 || len(v) >= 20 && mixed(v) && distinct(v) >= 10
}

// isWeakToken judges what a name like key, auth or signature is given: only what nobody would write by hand.
func isWeakToken(v string, a *assignment) bool {
	if len(v) < 16 || isPath(v) || strings.Count(v, "/") > 2 || hash(v) && !a.tight || strings.Contains(strings.TrimRight(v, "="), "=") {
		return false
	}
	return allIn(v, setWord|setDash|setDot|setBase64|setEqual|setTilde) && hasDigit(v) && hasLetter(v) && hasRandomPart(v, 12)
}

// hasRandomPart says whether v has least letters and digits in a row that look drawn, not thought of.
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

// isReference says whether a value stands for a secret that is elsewhere, or for none: $TOKEN, <token>, {{ token }}, ***.
func isReference(v string, quote byte) bool {
	switch v[0] {
	case '$':
		return isVariable(v, quote)
	case '<':
		return v[len(v)-1] == '>' || quote == 0
	case '{', '%':
		return v[0] == '{' || len(v) <= 3 || v[len(v)-1] == '%'
	case '@':
		return isPath(v[1:])
	case '`', '(', '[':
		return true
	}
	for _, from := range [...]string{
		"env.", "env[", "env(", "process.env", "os.environ", "os.getenv", "getenv", "secrets.", "vars.", "vault:", "op://", "arn:", "ref+",
		"file:", "env:", "fd:", "http://", "https://", "data.", "var.", "local.", "self.", "this.", "config.", "settings.", "args.", "your-", "your_", "yourp",
		"yourt", "yours", "youra", "changeme", "redacted", "placeholder", "system.getenv", "import.meta", "deno.env", "github.",
	} {
		if foldPrefix(v, from) {
			return true
		}
	}
	if strings.Contains(v, "%s") || strings.Contains(v, "%v") || strings.Contains(v, "%[") || strings.Contains(v, "%d") {
		return true
	}
	return distinct(v) < 2 || allIn(v, setDot|setDash|setUnder|setEqual) || foldContains(v, "redacted") || foldContains(v, "…") ||
		strings.Count(v, "*") >= 3 || foldContains(v, "xxxx") && distinct(v) < 8 || strings.HasSuffix(v, "...")
}

// isVariable says whether a value that begins with $ names a variable, not a hash like $2b$12$… or a password in single
// quotes.
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

// isWordOfForms says whether a value is a word that types, options and labels put beside such names.
func isWordOfForms(v string) bool {
	if len(v) > 12 {
		return false
	}
	switch lower(v) {
	case "string", "str", "text", "bool", "boolean", "int", "integer", "number", "any", "null", "nil", "none", "undefined", "true", "false", "yes",
		"no", "on", "off", "required", "optional", "password", "passwd", "pass", "secret", "token", "hidden", "prompt", "stdin", "empty", "unset",
		"masked", "unknown", "object", "bytes", "[]byte", "char", "varchar", "todo", "tbd", "n/a", "ok", "is", "bearer", "basic", "auto", "default",
		"inherit", "read", "fail", "failed", "failure", "passed", "skip", "skipped", "warn", "success", "flaky", "write", "admin_pass", "error", "missing", "invalid", "expired", "wrong", "incorrect", "void", "never", "ask", "ascii":
		return true
	}
	return false
}

// isCode says whether a value without quotes is an expression: a call, an index, a field, another variable that is named
// like a secret. name=value in a shell is none of these.
func (a *assignment) isCode(s, v string) bool {
	if i := strings.IndexByte(v, '('); i > 0 {
		return wordAt(v, i-1)
	}
	if i := strings.IndexByte(v, '['); i > 0 || strings.IndexByte(v, '{') > 0 {
		return true
	}
	if dotted(v) && policyOf(v[strings.LastIndexByte(v, '.')+1:]) != notSecret {
		return true
	}
	if (a.tight || a.flag) && !a.call {
		return allIn(v, setUpper|setUnder) && strings.Count(v, "_") > 0
	}
	if dotted(v) || isName(v) || allIn(v, setWord) && !setDigit.has(v[0]) && identifier(v) && (mixed(v) || strings.Contains(v, "_")) {
		return true
	}
	if a.call && (allIn(v, setLetter|setUnder) || a.end < len(s) && s[a.end] == ')' && allIn(v, setWord|setDot) && !setDigit.has(v[0]) && len(v) < 12) {
		return true
	}
	return a.end < len(s) && (s[a.end] == ')' || s[a.end] == ';') && allIn(v, setLetter|setUnder)
}

// isName says whether v is itself the name of a secret, as of another variable.
func isName(v string) bool {
	if setDigit.has(v[0]) || !allIn(v, setWord) || !identifier(v) {
		return false
	}
	p := policyOf(v)
	return p == password || p == token
}

// dotted says whether v is names joined by dots, as fields, files and hosts are: user.password, main.go, a.example.com.
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

// identifier says whether v looks like somebody thought of it: upper case, lower case and digits do not alternate as they
// do where they are drawn, but for a capital at the start of a word, and capitals stand for a short acronym.
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
		if i > 0 && kindOf(v[i]) != kindOf(v[i-1]) && !beginsWord(v, i) && !beginsWord(v, i-1) {
			changes++
		}
	}
	return changes <= max(2, len(v)/4) && (most <= 4 || !mixed(v))
}

// beginsWord says whether a capital with two small letters behind it stands at i.
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

// slug says whether v is words and small numbers joined by - _ . / or :, as names of things are: my-app-v2, us_east_1.
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

// slugPart says whether a part of a slug is a word, a number of up to four digits, or a letter or two and a number.
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

// isPath says whether v names a file: it begins like one.
func isPath(v string) bool {
	for _, root := range [...]string{"/", "./", "../", "~/", "c:\\"} {
		if foldPrefix(v, root) {
			return len(v) < 2 || v[0] != '/' || strings.Count(v, "/") > 1 || allIn(v[1:], setWord|setDash|setDot)
		}
	}
	return false
}

// isSentence says whether a quoted value is words for people: "Enter your password", "must not be empty".
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

// hasSymbol says whether s has a character that passwords have and words have not.
func hasSymbol(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '!', '@', '#', '$', '%', '^', '&', '*', '+', '?', '~':
			return true
		}
	}
	return false
}
