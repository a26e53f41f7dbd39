package scrub

import "strings"

// This file finds the value of a name that nothing assigns to in so many words: the label of a field, a cell of a table, the name
// of a function or a file, a line above the value.

// near redacts the secret that belongs to the name s[start:end].
func (f *finder) near(p policy, start, end int) {
	s := f.text
	if p == weak && foldContains(s[start:end], "cred") {
		_ = f.carried(token, start, end) || f.pairIn(end, true)
		return
	}
	if p == weak && equalFold(s[start:end], "key") {
		p = keyPolicy(lower(wordBefore(s, start)))
	}
	if p != password && p != token {
		return
	}
	switch {
	case f.called(p, start, end):
	case f.carried(p, start, end):
	case f.column(p, start, end):
	case p == password && f.inserted(start, end):
	case f.file(p, start, end):
	case f.input(start, end):
	case f.labelled(p, start, end):
	case f.below(p, start, end):
	case f.quotedAfter(p, start, end):
	case f.pairIn(end, false):
	case f.reversed(p, start, end):
	case f.bareLine(p, start, end):
	case f.prose(p, start, end):
	default:
		f.behind(p, end)
	}
}

// take redacts s[start:end], without quotes and the marks of sentences around it, if it is what somebody would say of a name with
// policy p.
func (f *finder) take(p policy, start, end int, owned bool) bool {
	start, end = f.unmarked(start, end)
	if v := f.text[start:end]; v == "" || v[0] == '@' || isAddress(v) || !isSaid(v, p, owned) {
		return false
	}
	f.add(start, end, p.id(), rankName)
	return true
}

// unmarked leaves out quotes, brackets and the marks of Markdown and of sentences around s[start:end].
func (f *finder) unmarked(start, end int) (int, int) {
	s := f.text
	for start < end && strings.IndexByte("\"'`*_(<[", s[start]) >= 0 {
		start++
	}
	for start < end && strings.IndexByte("\"'`*_.,;:)]}>", s[end-1]) >= 0 {
		end--
	}
	return start, end
}

// endOfLine is the end of the line of s at i, within some bytes.
func endOfLine(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	part := s[i:min(len(s), i+maxCommand)]
	if n := strings.IndexByte(part, '\n'); n >= 0 {
		return i + n
	}
	return i + len(part)
}

// startOfLine is the start of the line of s at i, within some bytes.
func startOfLine(s string, i int) int {
	from := max(0, i-maxCommand)
	return from + strings.LastIndexByte(s[from:i], '\n') + 1
}

// nearUser reports whether the lines around s[start:end] name a user or a host.
func nearUser(s string, start, end int) bool {
	const near = 80
	for _, part := range [...]string{s[max(0, start-near):start], s[min(len(s), end):min(len(s), end+near)]} {
		for _, word := range [...]string{"user", "login", "host:", "host=", "email", "account"} {
			if foldContains(part, word) {
				return true
			}
		}
	}
	return false
}

// isMark reports whether b stands between a label and its value in Markdown and in tables.
func isMark(b byte) bool { return b == '*' || b == '`' || b == '|' || b == ']' || b == '(' }

// labelled redacts the value of a label in a document: **Password:** X, | Password | X |, <dt>Password</dt><dd>X</dd>, Password – X.
func (f *finder) labelled(p policy, start, end int) bool {
	s := f.text
	i, marks, operators := end, 0, 0
	if i < len(s) && s[i] == '>' && start > 0 && s[start-1] == '<' {
		i, marks = i+1, 1
	}
	for limit := min(len(s), end+96); i < limit; {
		n, mark := separator(s[i:])
		if n == 0 || s[i] == '*' && i > end && isBlank(s[i-1]) && operators == 0 { // password *uint16
			break
		}
		if mark {
			marks++
		}
		if s[i] == ':' || s[i] == '=' || s[i] == '|' || n > 1 && s[i] != '<' {
			operators++
		}
		i += n
	}
	f.work += i - end
	if marks == 0 || i == len(s) {
		return false
	}
	stop := i
	for stop < len(s) && stop-i < maxName*2 && !setSpace.has(s[stop]) && strings.IndexByte("<|`\"", s[stop]) < 0 {
		stop++
	}
	f.work += stop - i
	if s[i-1] == '(' { // password (X)
		if _, to := f.unmarked(i, stop); stop == len(s) || s[to] != ')' || !isStrong(s[i:to]) {
			return false
		}
	}
	if f.take(p, i, stop, true) {
		return true
	}
	from, to := f.unmarked(i, stop)
	rest := strings.Trim(s[stop:endOfLine(s, stop)], " \t|*`</>codetrbh")
	if v := s[from:to]; p == password && operators > 0 && rest == "" && len(v) >= 8 && allIn(v, setLower) && !isProse(v) && !isWordOfForms(v) {
		f.add(from, to, p.id(), rankName)
		return true
	}
	return false
}

// separator is the length of what s begins with if that may stand between a label and its value, and whether it is a mark that
// only documents have there.
func separator(s string) (n int, mark bool) {
	switch b := s[0]; {
	case isBlank(b):
		return 1, false
	case isMark(b):
		return 1, true
	case b == ':':
		return 1, len(s) > 1 && s[1] == ':'
	case b == '=' || b == '"' || b == '\'' || b == '_' || b == ')':
		return 1, false
	case b == '<':
		if n := strings.IndexByte(s[:min(len(s), 32)], '>'); n > 0 && allIn(strings.Trim(s[1:n], "/![ "), setAlnum) {
			return n + 1, true
		}
		if strings.HasPrefix(s, "<![CDATA[") {
			return len("<![CDATA["), true
		}
	case b == '-':
		if strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "->") {
			return 2, true
		}
	}
	for _, wide := range [...]string{"：", "＝", "–", "—", "→", "«", "»"} {
		if strings.HasPrefix(s, wide) {
			return len(wide), true
		}
	}
	return 0, false
}

// below redacts the value in the line, or behind an empty line or a fence, under a line that ends with the name s[start:end].
func (f *finder) below(p policy, start, end int) bool {
	s := f.text
	i := endOfLine(s, end)
	if i == len(s) || i-end > maxName {
		return false
	}
	colon := strings.HasSuffix(strings.TrimRight(s[end:i], " "), ":")
	for n := 0; ; n++ {
		next := endOfLine(s, i+1)
		f.work += next - i
		from := skipBlanks(s, i+1, maxBlanks)
		if strings.HasPrefix(s[from:], "- ") || strings.HasPrefix(s[from:], "+") && next-from > 1 {
			from = skipBlanks(s, from+1, 2)
		}
		to := from + len(strings.TrimRight(s[from:max(from, next)], " \t"))
		from, to = f.unmarked(from, to)
		switch v := s[from:max(from, to)]; {
		case n < 3 && next < len(s) && (v == "" || strings.HasPrefix(s[from-min(from, 3):], "```") && allIn(v, setLetter) || strings.HasPrefix(v, "@@ ")):
		case colon && len(v) == 32 && hash(v):
			f.add(from, to, p.id(), rankName)
			return true
		case strings.ContainsAny(v, " \t"), !isStrong(v) && !(colon && isSaid(v, p, false) && len(v) >= 8 && !isPlural(s[start:end])):
			return false
		default:
			f.add(from, to, p.id(), rankName)
			return true
		}
		i = next
	}
}

func isPlural(name string) bool { return name[len(name)-1]|0x20 == 's' }

// quotedAfter redacts the quoted word after the name s[start:end]: password "X".
func (f *finder) quotedAfter(p policy, start, end int) bool {
	s := f.text
	i := skipBlanks(s, end, 4)
	if i == end || i+1 >= len(s) || !isQuote(s[i]) || start > 0 && isQuote(s[start-1]) {
		return false
	}
	stop := quotedEnd(s, i+1, s[i])
	f.work += stop - i
	if stop == len(s) || s[stop] != s[i] || strings.IndexByte(s[i+1:stop], ' ') >= 0 {
		return false
	}
	v := s[i+1 : stop]
	if v == "" {
		return false
	}
	if isSaid(v, p, true) || p == token && hasDigit(v) && isToken(v, &assignment{quote: s[i]}) || p == password && s[i] != '`' &&
		!isShort(s[start:end]) && len(v) >= 6 && allIn(v, setLower) && !isProse(v) && !isWordOfForms(v) {
		f.add(i+1, stop, p.id(), rankName)
		return true
	}
	return false
}

// input redacts the value of an HTML field of the type s[start:end]: <input type="password" value="X">.
func (f *finder) input(start, end int) bool {
	s := f.text
	before := s[max(0, start-8):start]
	if !foldContains(before, "type=") {
		return false
	}
	from, to := start, end
	for from > 0 && start-from < 400 && s[from] != '<' && s[from] != '>' {
		from--
	}
	for to < len(s) && to-end < 400 && s[to] != '>' && s[to] != '<' {
		to++
	}
	f.work += to - from
	for i := from; i < to; i++ {
		if !foldPrefix(s[i:to], "value=") || wordAt(s, i-1) || i > 0 && s[i-1] == '-' {
			continue
		}
		i += len("value=")
		stop := bareEnd(s, i)
		if i < to && s[i] == '{' { // an expression of JSX
			return false
		}
		if i < to && isQuote(s[i]) {
			stop = quotedEnd(s, i+1, s[i])
			i++
		}
		if v := s[i:min(stop, to)]; len(v) >= 3 && !isReference(v, '"') && !isWordOfForms(v) {
			f.add(i, i+len(v), "password", rankName)
			return true
		}
	}
	return false
}

// several redacts the values in the list, or in the file, of the plural s[start:end]: passwords.
func (f *finder) several(start, end int) {
	if f.file(password, start, end) {
		return
	}
	s := f.text
	if end == len(s) || s[end] != ':' {
		return
	}
	for i := endOfLine(s, end); i < len(s); {
		next := endOfLine(s, i+1)
		f.work += next - i
		from := skipBlanks(s, i+1, maxBlanks)
		if !strings.HasPrefix(s[from:], "- ") || !f.take(password, from+2, next, true) {
			return
		}
		i = next
	}
}

// bareLine redacts the value in a line of a name and a value, password X, where the lines around it name a user.
func (f *finder) bareLine(p policy, start, end int) bool {
	s := f.text
	from := skipBlanks(s, end, maxBlanks)
	to := endOfLine(s, from)
	v := s[from:to]
	if p != password || from == end || len(v) < 6 || !beginsLine(s, start) && !strings.HasPrefix(s[startOfLine(s, start):], "machine ") ||
		!allIn(v, setAlnum) || isProse(v) || isWordOfForms(v) || !isDirective(s[start:end]) && !nearUser(s, start, to) {
		return false
	}
	f.add(from, to, p.id(), rankName)
	return true
}

// isDirective reports whether a program's settings have a line of the name and the password.
func isDirective(name string) bool {
	switch lower(name) {
	case "requirepass", "masterauth", "bindpw", "rootpw":
		return true
	}
	return false
}

// behind redacts a strong password, or a random token, among the few words behind a name.
func (f *finder) behind(p policy, end int) {
	s := f.text
	stop := min(endOfLine(s, end), end+96)
	if end < len(s) && isQuote(s[end]) {
		end++
	}
	if end == len(s) || !isBlank(s[end]) {
		return
	}
	for i, words := end, 0; i < stop && words < 5; words++ {
		colon := s[i-1] == ':'
		i = skipBlanks(s, i, 4)
		colon = colon || i > end && s[i-1] == ' ' && s[max(0, i-2)] == ':'
		next := wordEnd(s, i)
		f.work += next - i
		from, to := f.unmarked(i, next)
		if v := s[from:max(from, to)]; p == password && colon && next == endOfLine(s, next) && isDrawn(v) || (p == password ||
			equalFold(s[max(0, end-len("secret")):end], "secret")) && isStrong(v) || p == token && len(v) >= 32 && isWeakToken(v, &assignment{}) {
			f.add(from, to, p.id(), rankName)
			return
		}
		i = max(next, i+1)
	}
}
