package scrub

import "strings"

// file redacts what is written into a file whose name s[start:end] says that it holds a secret: echo X > db_password, cat > vault-pass
// <<EOF, tee /run/secrets/db_password; and what `cat` shows of one.
func (f *finder) file(p policy, start, end int) bool {
	s := f.text
	from, to := start, end
	for from > 0 && start-from < 200 && (setWord.has(s[from-1]) || strings.IndexByte("./~-$\\{}", s[from-1]) >= 0) {
		from--
	}
	for to < len(s) && to-end < maxName && (setWord.has(s[to]) || strings.IndexByte(".-", s[to]) >= 0) {
		to++
	}
	if !isTextFile(s[end:to]) {
		return false
	}
	for from > 0 && (isQuote(s[from-1]) || isBlank(s[from-1])) {
		from--
	}
	if isWritten(s[max(0, from-16):from]) {
		line := startOfLine(s, from)
		f.work += to - line
		return f.redirected(p, line, from, to)
	}
	if n := strings.TrimLeft(s[to:min(len(s), to+8)], "0123456789"); strings.HasPrefix(s[to:], ":") && to > end ||
		strings.Contains(s[max(0, start-1):start], "/") {
		if rest := strings.TrimPrefix(s[to:min(len(s), to+8)], ":"); n != s[to:] && rest != "" { // grep: path:1:X
			at := to + 1 + strings.IndexByte(rest, ':') + 1
			if v := s[min(at, len(s)):endOfLine(s, min(at, len(s)))]; at > to+2 && isStrong(v) {
				f.add(at, at+len(v), p.id(), rankName)
				return true
			}
		}
	}
	return false
}

// isWritten reports whether the file's name that follows before is written to.
func isWritten(before string) bool {
	before = strings.TrimRight(before, " \t")
	for _, verb := range [...]string{">", "tee", "tee -a", "-path", "-filepath", "out-file", "dd of="} {
		if len(before) >= len(verb) && foldPrefix(before[len(before)-len(verb):], verb) {
			return true
		}
	}
	return false
}

// redirected redacts what the command line writes into a file: the arguments of echo and printf or a string before the name, which is
// s[from:to], or the lines of a here-document.
func (f *finder) redirected(p policy, line, from, to int) bool {
	s := f.text
	if n := strings.Index(s[line:endOfLine(s, to)], "<<"); n >= 0 && !strings.HasPrefix(s[line+n:], "<<<") {
		return f.heredoc(p, line+n+2)
	}
	start := from
	for start > line && strings.IndexByte(";&\n", s[start-1]) < 0 {
		start--
	}
	found := false
	if first := strings.TrimLeft(s[start:from], " $#"); !hasAnyPrefix(first, "echo ", "printf ", "cat <<<", `"`, "'", "tee ", "sudo tee ") {
		return false
	}
	for at := start; at < from; {
		begin := skipBlanks(s, at, maxBlanks)
		at = max(argumentEnd(s, begin), begin+1)
		first, stop := f.trimmed(begin, min(at, from))
		switch v := s[first:max(first, stop)]; v {
		case "", "echo", "printf", "-n", "-e", "-ne", "tee", "cat", "sudo", ">", ">>", "<<<", "|":
		default:
			found = f.stored(p, first, stop) || found
		}
	}
	return found
}

// stored redacts s[start:end], which is written into a file that holds a secret, or the part behind a colon.
func (f *finder) stored(p policy, start, end int) bool {
	s := f.text
	for _, written := range [...]string{`\n`, `\r`} {
		end = start + len(strings.TrimSuffix(s[start:end], written))
	}
	if n := strings.LastIndex(s[start:end], `\n`); n > 0 { // the last of several lines
		start += n + 2
	}
	if n := strings.IndexByte(s[start:end], ':'); n > 0 && allIn(s[start:start+n], setWord) {
		start += n + 1
	}
	v := s[start:max(start, end)]
	if len(v) < 4 || v[0] == '-' || strings.ContainsAny(v, " %") || isReference(v, '"') || isWordOfForms(v) || isPath(v) || isName(v) || dotted(v) {
		return false
	}
	if !isSaid(v, p, true) && !(p == password && len(v) >= 6 && (allIn(v, setLower) || hasSymbol(v)) && !isProse(v)) {
		return false
	}
	f.add(start, end, p.id(), rankName)
	return true
}

// heredoc redacts the line of a here-document that holds one word, whose delimiter is at i.
func (f *finder) heredoc(p policy, i int) bool {
	s := f.text
	begin := endOfLine(s, i) + 1
	if begin >= len(s) {
		return false
	}
	end := endOfLine(s, begin)
	f.work += end - i
	return f.stored(p, skipBlanks(s, begin, maxBlanks), end)
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
