package scrub

import "strings"

// called redacts the argument of a function with a secret's name, s[start:end]: setPassword("X"), PASSWORD('X').
func (f *finder) called(p policy, start, end int) bool {
	s := f.text
	if end == len(s) || s[end] != '(' {
		return false
	}
	var words [maxWords]string
	n := split(s[start:end], &words)
	verb := words[0]
	switch verb {
	case "get", "read", "find", "fetch", "lookup", "load", "has", "by", "on", "query", "select", "show", "label", "field", "prompt", "input", "ask",
		"is", "use":
		return false
	}
	i, ok := f.lastQuoted(end + 1)
	if !ok {
		return false
	}
	stop := quotedEnd(s, i+1, s[i])
	v := s[i+1 : stop]
	sets := verb == "set" || verb == "with" || verb == "change" || verb == "update" || n == 1 && (verb == "password" || verb == "passwd" ||
		verb == "passphrase" || verb == "passwort")
	if isSaid(v, p, true) || sets && p == password && len(v) >= 4 && !isReference(v, s[i]) && !isWordOfForms(v) && !isSentence(v) && !isName(v) &&
		!isProse(v) {
		f.add(i+1, stop, p.id(), rankName)
		return true
	}
	return false
}

// lastQuoted is the offset of the last argument in quotes of the call whose arguments begin at i, through calls around it:
// f("a", Some("b")).
func (f *finder) lastQuoted(i int) (last int, ok bool) {
	s := f.text
	from, depth := i, 1
	for limit := min(len(s), i+256); i < limit && depth > 0; i++ {
		switch b := s[i]; {
		case isQuote(b):
			last, ok = i, true
			i = quotedEnd(s, i+1, b)
		case b == '(':
			depth++
		case b == ')':
			depth--
		case b == '\n' || b == ';':
			depth = 0
		}
	}
	f.work += i - from
	return last, ok
}

// carried redacts the value that goes with a quoted string, an element or a line which names the secret: {"name": "DB_PASS",
// "value": "X"}, fill('#password', 'X'), getByLabel("Password").fill("X"), write of a file "db_password.txt".
func (f *finder) carried(p policy, start, end int) bool {
	s := f.text
	i, quoted := end, false
	for i < len(s) && i < end+40 && !isQuote(s[i]) && strings.IndexByte("\n<>,;{}", s[i]) < 0 {
		i++
	}
	f.work += i - end
	switch {
	case i == len(s):
		return false
	case isQuote(s[i]) && quotedSince(s, start, s[i]):
		if source := s[end:i]; strings.HasPrefix(source, ".") && !isTextFile(source) || strings.Count(source, " ") > 2 {
			return false
		}
		quoted = true
		for i < len(s) && (isQuote(s[i]) || s[i] == ']') {
			i++
		}
	case strings.HasPrefix(s[i:], "</") || s[i] == ',' && i == end || s[i] == '\n' && i == end:
	default:
		return false
	}
	comma := skipBlanks(s, i, 2)
	if verb := calleeOf(s, start); quoted && verb != "" && comma < len(s) && s[comma] == ',' {
		at := skipBlanks(s, comma+1, 4)
		at += len(s[at:]) - len(strings.TrimPrefix(s[at:], "[]byte("))
		if at < len(s) && isQuote(s[at]) && f.carriedValue(p, at, at, isSetter(verb)) {
			return true
		}
	}
	if quoted && i < len(s) && s[i] == '>' && f.carriedValue(p, i, i, true) { // <string name="api_secret">X</string>
		return true
	}
	for limit := min(len(s), i+72); i < limit; i++ {
		switch {
		case s[i] == '\n' && i+1 < limit && !isBlank(s[i+1]) && s[i+1] != '<', s[i] == ';':
			return false
		case setLetter.has(s[i]) && !wordAt(s, i-1):
			word := i
			for i < limit && setWord.has(s[i]) {
				i++
			}
			if isCarrier(lower(s[word:i])) && f.carriedValue(p, word, i, true) {
				return true
			}
			i--
		}
	}
	return false
}

// quotedSince reports whether the string that quote ends begins shortly before i.
func quotedSince(s string, i int, quote byte) bool {
	for from := i; i > 0 && from-i < 80 && s[i-1] != '\n'; i-- {
		if s[i-1] == quote {
			return true
		}
	}
	return false
}

// isTextFile reports whether the name of a file may be followed by ext where the file is a secret and nothing else.
func isTextFile(ext string) bool {
	switch lower(ext) {
	case "", ".txt", ".key", ".pass", ".pw", ".secret", ".conf", ".cfg":
		return true
	}
	return false
}

// isCarrier reports whether w names the value that goes with a name.
func isCarrier(w string) bool {
	switch w {
	case "value", "val", "text", "content", "contents", "default", "with", "fill", "type", "send_keys", "sendkeys", "write", "setvalue", "body", "data",
		"parametervalue", "secretstring", "string", "new_string", "file_text", "typetext", "presssequentially":
		return true
	}
	return false
}

// calleeOf is the function whose first argument is the string around i, in lower case, or "".
func calleeOf(s string, i int) string {
	for from := i; i > 0 && from-i < 80 && strings.IndexByte("(),;{}\n", s[i-1]) < 0; {
		i--
	}
	if i < 2 || s[i-1] != '(' {
		return ""
	}
	end := i - 1
	for i = end; i > 0 && end-i < maxName && setWord.has(s[i-1]); {
		i--
	}
	return lower(s[i:end])
}

// isSetter reports whether a function stores its second argument under the name in its first.
func isSetter(verb string) bool {
	return foldContains(verb, "set") || foldContains(verb, "put") || foldContains(verb, "define") || foldContains(verb, "add") ||
		foldContains(verb, "write") ||
		foldContains(verb, "fill") || foldContains(verb, "type")
}

// carriedValue redacts the value behind the word s[word:i] of a carrier: in quotes, in an element or until the line's end. plain says
// that a word in small letters counts.
func (f *finder) carriedValue(p policy, word, i int, plain bool) bool {
	s := f.text
	operator := word == i
	for limit := i + 8; i < len(s) && i < limit && !isQuote(s[i]) || i < len(s) && i < limit && i+1 < len(s) && strings.IndexByte(":=", s[i+1]) >= 0; i++ {
		if strings.IndexByte(":=(>,", s[i]) >= 0 {
			operator = true
		} else if !isBlank(s[i]) && !isQuote(s[i]) {
			break
		}
	}
	if !operator || i >= len(s) {
		return false
	}
	start, stop := i, i
	quote := byte(0)
	if isQuote(s[i]) {
		quote = s[i]
		start, stop = i+1, quotedEnd(s, i+1, s[i])
		for _, written := range [...]string{`\n`, `\r`, "{enter}"} {
			stop = start + len(strings.TrimSuffix(s[start:stop], written))
		}
	} else {
		stop = bareEnd(s, i)
		if strings.IndexByte(":>", s[i-1]) < 0 && !isBlank(s[i-1]) {
			return false
		}
	}
	f.work += stop - word
	element := quote == 0 && s[i-1] == '>' && strings.HasPrefix(s[min(len(s), stop):], "</")
	v := s[start:max(start, stop)]
	if v == "" || strings.ContainsAny(v, " \n=") || isReference(v, '"') || isWordOfForms(v) || isName(v) || isPath(v) || isLocalName(v) {
		return false
	}
	ok := isSaid(v, p, true)
	if p == password && (quote != 0 || element) && len(v) >= 6 && (hasSymbol(v) && hasLetter(v) && !slug(v) || plain && allIn(v, setLower) && !isProse(v)) {
		ok = true
	}
	if ok {
		f.add(start, stop, p.id(), rankName)
	}
	return ok
}

// isLocalName reports whether v is the name of something in code or of a function's argument, not a value: user.password, getenv(x).
func isLocalName(v string) bool { return dotted(v) || strings.ContainsAny(v, "([{") }
