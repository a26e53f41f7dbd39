package scrub

import "strings"

// This file finds passwords beside a user's name: "creds are bob / X", "log in with bob/X", connect(host, "bob", "X").

// pairIn redacts the password of a pair of user and password in the words that follow i. loose says that the name before i means
// such a pair.
func (f *finder) pairIn(i int, loose bool) bool {
	s := f.text
	end := endOfLine(s, min(len(s), i))
	end = min(end, i+96)
	line := endOfLine(s, min(len(s), i))
	words := 0
	most := 4
	if loose {
		most = 7
	}
	for at := i; at < end && words < most; words++ {
		for at < end && (setSpace.has(s[at]) || strings.IndexByte("=:,(\"'`", s[at]) >= 0) {
			at++
		}
		stop := at
		for stop < line && !setSpace.has(s[stop]) {
			stop++
		}
		f.work += stop - at
		from, to := f.unmarked(at, stop)
		if from < to && to-from < 2*maxName && f.pairAt(from, to, loose) {
			return true
		}
		if stop > at && strings.IndexByte(".;|&", s[stop-1]) >= 0 { // the end of a sentence, or of a command
			return false
		}
		at = stop
	}
	return false
}

// pairAt redacts the password if the word s[from:to] is user/password or user:password, or a user before a slash and the password.
func (f *finder) pairAt(from, to int, loose bool) bool {
	s := f.text
	word := s[from:to]
	if n := strings.IndexAny(word, "/:"); n > 0 && n+1 < len(word) && allIn(word[:n], setWord|setDash|setDot) && !strings.ContainsAny(word[n+1:], "/:") {
		v := word[n+1:]
		if isStrong(v) || loose && isSaid(v, password, false) {
			f.add(from+n+1, to, "password", rankName)
			return true
		}
		return false
	}
	if at := skipBlanks(s, to, 2); at+1 < len(s) && (s[at] == '/' || s[at] == ':') && isBlank(s[at+1]) {
		at = skipBlanks(s, at+1, 2)
		start, end := f.unmarked(at, wordEnd(s, at))
		if start >= end {
			return false
		}
		v := s[start:end]
		word := loose && len(v) >= 8 && allIn(v, setLower) && !isProse(v) && endOfLine(s, end) == end && !strings.Contains(s[to:at], "for")
		if isStrong(v) || loose && isSaid(v, password, false) || word && foldContains(s[max(0, from-24):from], "pass") {
			f.add(start, end, "password", rankName)
			return true
		}
	}
	return false
}

// login redacts the password in what follows a word for logging in, which ends at i: "log in as bob with X", login(user, "X").
func (f *finder) login(start, i int) {
	s := f.text
	for end := i + 24; i < len(s) && i < end && setLetter.has(s[i]); { // connectAs, logins
		i++
	}
	if setLetter.has(s[start]) && start > 0 && setLower.has(s[start]) && setLower.has(s[start-1]) || i == len(s) {
		return
	}
	if s[i] == '=' { // login=bob:X
		f.pairIn(i, false)
		return
	}
	if s[i] != '(' && !isBlank(s[i]) {
		return
	}
	if i < len(s) && s[i] == '(' {
		f.arguments(i + 1)
		return
	}
	if f.pairIn(i, false) {
		return
	}
	end := min(endOfLine(s, i), i+96)
	with := fold(s[start]) == 'u' || fold(s[start]) == 'i' // unlock X, identify X
	for at := i; at < end; {
		at = skipBlanks(s, at, 4)
		stop := wordEnd(s, at)
		from, to := f.unmarked(at, stop)
		if from < to {
			v := s[from:to]
			if with && isStrong(v) {
				f.add(from, to, "password", rankName)
				return
			}
			with = isWith(v) || equalFold(v, "and") || strings.Contains(v, "@") || isQuote(s[at]) || with && s[at] == '-'
		}
		at = stop + 1
	}
}

// arguments redacts the password among the quoted arguments of a call that opens a session. The first is a user or a host.
func (f *finder) arguments(i int) {
	s := f.text
	from := i
	for n := 0; i < len(s) && i < from+256; i++ {
		switch {
		case s[i] == ',':
			n++
		case s[i] == '\n' || s[i] == ';':
			return
		case isQuote(s[i]):
			end := quotedEnd(s, i+1, s[i])
			f.work += end - i
			if end-i > 2*maxName || end == len(s) || s[end] != s[i] { // no argument, or not whole
				return
			}
			if v := s[i+1 : end]; isStrong(v) && strings.IndexByte(v, '%') < 0 || n > 0 && (allIn(v, setAlnum) && isSaid(v, password, false)) {
				f.add(i+1, end, "password", rankName)
			}
			i = end
		}
	}
}

// typed redacts a password among the words that a program types into another: tmux send-keys, xdotool type, expect's send.
func (f *finder) typed(i int) {
	s := f.text
	end := min(endOfLine(s, i), i+200)
	for at := i; at < end; {
		at = skipBlanks(s, at, 4)
		if at >= end || strings.IndexByte(";&|", s[at]) >= 0 {
			return
		}
		stop := argumentEnd(s, at)
		f.work += stop - at
		from, to := at, stop
		for from < to && strings.IndexByte("(\"'", s[from]) >= 0 {
			from++
		}
		for more := true; more; {
			more = false
			for _, written := range [...]string{`\r`, `\n`, "^M", "{Enter}", `"`, `'`, `)`, `;`, `}`} {
				if strings.HasSuffix(s[from:to], written) {
					to, more = to-len(written), true
				}
			}
		}
		if from < to && isStrong(s[from:to]) {
			f.add(from, to, "password", rankName)
			return
		}
		at = max(stop, at+1)
	}
}

// reversed redacts the value that is said before its name: "X is my password", "try X as the password".
func (f *finder) reversed(p policy, start, _ int) bool {
	s := f.text
	i, is := start, false
	for n := 0; n < 5 && i > 0 && s[i-1] == ' '; n++ {
		from := i - 1
		for from > 0 && i-from < maxName && !setSpace.has(s[from-1]) {
			from--
		}
		f.work += i - from
		lo, hi := f.unmarked(from, i-1)
		if lo >= hi {
			return false
		}
		switch v := s[lo:hi]; {
		case is:
			if isStrong(v) {
				f.add(lo, hi, p.id(), rankName)
				return true
			}
			return false
		case equalFold(v, "is") || equalFold(v, "as") || equalFold(v, "was"):
			is = true
		}
		i = from
	}
	return false
}

// userFlag redacts the password of a command line that names a user and then a password by flags of one letter, whatever the program
// is: -u bob -p X. The flag -p ends at i.
func (f *finder) userFlag(start, i int) {
	s := f.text
	from := start
	for from > 0 && start-from < maxCommand/8 && !endsCommand(s[from-1]) {
		from--
	}
	f.work += start - from
	if before := s[from:start]; !strings.Contains(before, " -u") && !strings.Contains(before, " -U ") && !strings.Contains(before, " --user") &&
		!strings.Contains(before, " /ru ") {
		return
	}
	first, stop := f.trimmed(i, argumentEnd(s, i))
	if first < stop && isSaid(s[first:stop], password, false) {
		f.add(first, stop, "argument", rankPlace)
	}
}
