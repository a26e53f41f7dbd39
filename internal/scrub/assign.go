package scrub

import "strings"

// assignment is a value with the name before it, as in shells, code, settings, URLs, headers and
// tags.
type assignment struct {
	name     string
	policy   policy
	start    int  // where the value starts, after its quote
	end      int  // where it ends
	quote    byte // 0 without a quote
	tight    bool // name=value: only the value can be meant
	flag     bool // --name value
	pair     bool // follows a name, after words that take both: set NAME VALUE, setenv("NAME", "VALUE")
	tag      bool // <name>value</name>
	line     bool // name: value alone on the line
	short    bool // the name alone proves little: isShort
	compared bool // name == value
	user     bool // a user's name stands near
	call     bool // the value is the argument of a call: f(name=value)
}

// How far names, quoted values and blanks are followed, in bytes.
const (
	maxName   = 64
	maxValue  = 4 << 10
	maxBlanks = 64 // around an operator: names may stand in a column
)

// name examines the name that contains the anchor from i to end, and redacts its value if that is
// a secret.
func (f *finder) name(i, end int) {
	s := f.text
	if end <= f.lastName {
		return
	}
	for end < len(s) && end-i < maxName && inName(s[end]) {
		end++
	}
	f.lastName = end
	start := i
	for start > 0 && i-start < maxName && inName(s[start-1]) {
		start--
	}
	f.work += end - start
	a := assignment{name: s[start:end], policy: policyOf(s[start:end])}
	if a.policy == weak && equalFold(a.name, "key") && wordBefore(s, start) != "" { // Secret Key: …
		a.policy = keyPolicy(lower(wordBefore(s, start)))
	}
	if isResource(s, start) {
		return
	}
	if a.policy == notSecret {
		if isPlural(a.name) && policyOf(a.name[:len(a.name)-1]) == password {
			f.several(start, end)
		}
		return
	}
	if foldPrefix(s[max(start, end-len("auth")):], "auth") {
		f.tuple(end)
	}
	if !f.assigned(&a, start, end) {
		f.near(a.policy, start, end)
	}
}

// assigned redacts the value that is assigned to the name s[start:end], and reports whether there is one.
func (f *finder) assigned(a *assignment, start, end int) bool {
	s := f.text
	if !f.operator(a, start, end) {
		return false
	}
	f.value(a)
	a.line = beginsLine(s, start) && (a.end == len(s) || s[a.end] == '\n')
	if a.tag && !strings.HasPrefix(s[a.end:], "</") {
		return false
	}
	if a.short || a.policy == password && a.quote == 0 && allIn(s[a.start:a.end], setLower) && !strings.Contains(s[end:a.start], "=") {
		a.user = nearUser(s, start, a.end)
	}
	if !a.secret(s) {
		return false
	}
	f.add(a.start, a.end, a.policy.id(), rankName)
	return true
}

func (p policy) id() string {
	if p == password {
		return "password"
	}
	return "secret"
}

// isIndent reports whether only blanks precede i on its line.
func isIndent(s string, i int) bool {
	for i > 0 && isBlank(s[i-1]) {
		i--
	}
	return i == 0 || s[i-1] == '\n'
}

// beginsLine reports whether the name at i, with names before it that dots join and a bracket, is the first of its line.
func beginsLine(s string, i int) bool {
	for from := i; i > 0 && from-i < 2*maxName && (inName(s[i-1]) || s[i-1] == '.' || s[i-1] == '['); {
		i--
	}
	return isIndent(s, i)
}

// isResource reports whether the word at i is part of a resource's name: arn:aws:secretsmanager:eu-west-1:1234:secret:prod/db.
func isResource(s string, i int) bool {
	return i > 0 && s[i-1] == ':' && foldContains(s[max(0, i-maxName):i], "arn:")
}

// inName reports whether b can be part of a name. A dot separates names, so user.password is two.
func inName(b byte) bool { return (setWord | setDash).has(b) }

// operator finds what assigns a value to the name s[start:end], and sets where the value starts.
func (f *finder) operator(a *assignment, start, end int) bool {
	s := f.text
	quoted := start > 0 && isQuote(s[start-1])
	i := end
	for i < len(s) && i < end+4 && (isQuote(s[i]) && quoted || s[i] == ']') {
		i++
	}
	if quoted && foldPrefix(s[i:], " value=") { // <add key="Password" value="…"/>
		i += len(" value")
	}
	if i == end && i < len(s) && s[i] == ' ' && opensTag(s, start) { // <Password Type="x">value</Password>
		if n := strings.IndexAny(s[i:min(len(s), i+maxCommand/8)], "<>"); n > 0 && s[i+n] == '>' {
			i += n
		}
	}
	at := skipBlanks(s, i, maxBlanks)
	n := operatorLen(s[at:])
	switch {
	case n > 0:
		if !f.operates(start, at, n, quoted && i > end) {
			return false
		}
		i = at + n
		a.compared = n > 1 && s[at+n-1] == '=' && (s[at] == '=' || s[at] == '!')
		a.tag, a.pair = s[at] == '>', s[at] == ','
		a.tight = at == end && s[at] == '=' && n == 1 && !(i < len(s) && isBlank(s[i]))
	case at > i && (s[start] == '-' || afterSet(s, start) || afterVerb(s, start)):
		a.flag = true
		a.pair = s[start] != '-'
		i = at
	default:
		return false
	}
	a.short = a.policy == password && !a.tight && !a.flag && !quoted && isShort(s[start:end])
	a.call = insideCall(s, start)
	a.start = skipBlanks(s, i, maxBlanks)
	f.annotated(a)
	return a.start < len(s)
}

// operates reports whether the operator of n bytes at i assigns a value to the name that starts
// at start.
func (f *finder) operates(start, i, n int, quoted bool) bool {
	s := f.text
	switch s[i] {
	case ',': // setenv("NAME", "value")
		next := skipBlanks(s, i+1, 2)
		return quoted && start > 1 && (s[start-2] == '(' || s[start-2] == '[') && next < len(s) && isQuote(s[next])
	case '{': // a string in C++: name{"value"}
		return n == 1 && i > start && inName(s[i-1]) && i+1 < len(s) && s[i+1] == '"'
	case '>': // <name>value</name>
		return opensTag(s, start)
	case ':': // not name:// or name::
		return n > 1 || i+1 == len(s) || strings.IndexByte("/:?+", s[i+1]) < 0
	}
	return true
}

// opensTag reports whether the name at i is a tag's: <password, <ns:password.
func opensTag(s string, i int) bool {
	if i > 0 && s[i-1] == ':' {
		for i--; i > 0 && setWord.has(s[i-1]); {
			i--
		}
	}
	return i > 0 && s[i-1] == '<'
}

// isShort reports whether a name is a word of many meanings: "pass: 3 tests", "PASS: TestX".
func isShort(name string) bool { return len(name) == 4 && foldPrefix(name, "pass") }

// operatorLen is the length of the operator that s begins with, or 0.
func operatorLen(s string) int {
	for _, op := range [...]string{"===", "!==", ":=", "::=", "=>", "==", "!=", "?=", "+=", "||=", "=", ":", ",", ">", "{"} {
		if len(s) >= len(op) && s[:len(op)] == op {
			return len(op)
		}
	}
	return 0
}

// annotated skips what stands between the operator and the value: a type (`password: string = "…"`), an anchor or tag of YAML.
func (f *finder) annotated(a *assignment) {
	s := f.text
	for a.start < len(s) && (s[a.start] == '&' && !isQuote(s[a.start-1]) || strings.HasPrefix(s[a.start:], "!!")) { // &anchor, !!str
		n := a.start
		for n < len(s) && n < a.start+24 && !setSpace.has(s[n]) {
			n++
		}
		if n == len(s) || !isBlank(s[n]) {
			break
		}
		a.start = skipBlanks(s, n, 4)
	}
	if a.start < len(s) && s[a.start] == '=' { // &str = "…"
		a.start = skipBlanks(s, a.start+1, 2)
		return
	}
	for i := a.start; i < len(s) && i < a.start+24 && (setAlnum.has(s[i]) || strings.IndexByte("[]<>&*? |", s[i]) >= 0); i++ {
		if j := i + 1; isBlank(s[i]) && j < len(s) && s[j] == '=' && !foldPrefix(s[j:], "==") && !foldPrefix(s[j:], "=>") {
			a.start = skipBlanks(s, j+1, 2)
			return
		}
	}
}

func (f *finder) value(a *assignment) {
	s := f.text
	i := a.start
	if n := f.wrapped(a); n > 0 {
		i, a.start = n, n
	}
	for _, prefix := range [...]string{"n'", "$'", "b\"", "b'", "r\"", "r'", "f\"", "f'", "@\"", "u'"} {
		if foldPrefix(s[i:], prefix) {
			i += len(prefix) - 1
			break
		}
	}
	switch {
	case i == len(s) || !isQuote(s[i]):
		a.end = bareEnd(s, a.start)
	case closes(s, i): // "name="+value
		a.end = a.start
	default:
		a.quote = s[i]
		a.start = i + 1
		a.end = quotedEnd(s, a.start, a.quote)
	}
	f.work += a.end - a.start
	f.fallback(a)
}

// closes reports whether the quote at i ends a string that began before the name, with code after
// it.
func closes(s string, i int) bool {
	return i+1 == len(s) || strings.IndexByte(" +).,;]", s[i+1]) >= 0
}

// quotedEnd is the end of a quoted value: its quote, a newline, or the end of s.
func quotedEnd(s string, i int, quote byte) int {
	for limit := min(len(s), i+maxValue); i < limit; i++ {
		switch s[i] {
		case quote, '\n':
			return i
		case '\\':
			if i+1 < limit && s[i+1] != '\n' {
				i++
			}
		}
	}
	return min(i, len(s))
}

func bareEnd(s string, i int) int {
	for limit := min(len(s), i+maxValue); i < limit; i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r', '"', '\'', '`', ';', ',', '&', '|', '<', '>', ')', ']', '}':
			return i
		case '\\':
			if i+1 < limit && strings.IndexByte(" $!#()&;<>|*?", s[i+1]) < 0 { // not a shell's escape, but one of JSON
				return i
			}
			i++
		}
	}
	return min(i, len(s))
}

func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// skipBlanks is the first offset from i on without a blank, at most most bytes on.
func skipBlanks(s string, i, most int) int {
	for n := 0; n < most && i < len(s) && isBlank(s[i]); n++ {
		i++
	}
	return i
}

// afterSet reports whether the word before start takes a name and a value: `aws configure set
// NAME VALUE`, netrc's `login NAME password VALUE`.
func afterSet(s string, start int) bool {
	end := start
	for end > 0 && (isBlank(s[end-1]) || s[end-1] == ':' || s[end-1] == '/' || s[end-1] == '_') {
		end--
	}
	for _, word := range [...]string{"configure set", "config set", " config", " --global", " --add"} {
		if end >= len(word) && foldPrefix(s[end-len(word):end], word) {
			return true
		}
	}
	line := s[max(0, start-120):start]
	return foldContains(line, "login ") || foldContains(line, "config set ") || foldContains(line, "identified by")
}

// afterVerb reports whether the word before start sets the variable or the option that follows: setenv NAME VALUE, ENV NAME VALUE,
// set -x NAME VALUE, jq --arg NAME VALUE.
func afterVerb(s string, start int) bool {
	end := start
	for end > 0 && isBlank(s[end-1]) {
		end--
	}
	for start > end && end > 0 {
		from := end
		for from > 0 && end-from < 16 && !setSpace.has(s[from-1]) {
			from--
		}
		switch word := lower(s[from:end]); word {
		case "setenv", "setx", "env", "--arg", "--argjson", "config", "launchctl":
			return true
		case "set":
			return false
		case "-x", "-gx", "-ux", "-xg", "-xu", "-lx", "-g", "-u", "--export", "--global", "--universal", "-xl":
			for from > 0 && isBlank(s[from-1]) {
				from--
			}
			return from >= 3 && foldPrefix(s[from-3:], "set") && !wordAt(s, from-4)
		default:
			return false
		}
	}
	return false
}

func foldContains(s, word string) bool {
	for i := range len(s) - len(word) + 1 {
		if foldPrefix(s[i:], word) {
			return true
		}
	}
	return false
}

// insideCall reports whether the name is inside the brackets of a call, as far as its line shows.
func insideCall(s string, start int) bool {
	depth := 0
	for i := start - 1; i >= 0 && i > start-200 && s[i] != '\n'; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 {
				return wordAt(s, i-1)
			}
		}
	}
	return false
}
