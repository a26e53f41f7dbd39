package scrub

import "strings"

// maxRows is how many rows under a table's head are read.
const maxRows = 16

// column redacts the cells under a table's head that is the name s[start:end]: of Markdown, psql, CSV.
func (f *finder) column(p policy, start, end int) bool {
	s := f.text
	if next := strings.TrimLeft(s[end:min(len(s), end+maxBlanks)], " \"'`*"); next == "" || strings.IndexByte("|,;\t\n", next[0]) < 0 {
		return false
	}
	from, to := startOfLine(s, start), endOfLine(s, end)
	f.work += to - from
	if to == len(s) {
		return false
	}
	line := s[from:to]
	sep := separatorOf(line)
	if sep == 0 {
		return false
	}
	cellStart, cellEnd := start-from, end-from
	for cellStart > 0 && line[cellStart-1] != sep {
		cellStart--
	}
	for cellEnd < len(line) && line[cellEnd] != sep {
		cellEnd++
	}
	if policyOf(strings.Trim(line[cellStart:cellEnd], " \t\"'`*")) != p &&
		!strings.HasSuffix(strings.TrimRight(line[cellStart:cellEnd], " \t\"'`*"), s[start:end]) {
		return false
	}
	at, seps := strings.Count(line[:start-from], string(sep)), strings.Count(line, string(sep))
	user := foldContains(line, "user") || foldContains(line, "login") || foldContains(line, "mail") || foldContains(line, "account")
	found, ruled := false, sep != '|'
	for range maxRows {
		if to >= len(s) {
			break
		}
		from = to + 1
		to = endOfLine(s, from)
		f.work += to - from
		row := s[from:to]
		if strings.Trim(row, "|-:+= ") == "" && row != "" && sep == '|' {
			ruled = true
			continue
		}
		if strings.Count(row, string(sep)) != seps {
			break
		}
		found = f.cell(p, from, to, sep, at, user && ruled) || found
	}
	return found
}

// inserted redacts the value of the column s[start:end] of SQL: INSERT INTO t (name, password) VALUES ('bob', 'X').
func (f *finder) inserted(start, end int) bool {
	s := f.text
	open := strings.LastIndexByte(s[max(0, start-200):start], '(')
	last := strings.IndexByte(s[end:min(len(s), end+200)], ')')
	if open < 0 || last < 0 {
		return false
	}
	from := max(0, start-200) + open
	i := skipBlanks(s, end+last+1, 4)
	f.work += i - from
	if !foldPrefix(s[i:], "values") {
		return false
	}
	at := strings.Count(s[from:start], ",")
	for i += len("values"); i < len(s) && (isBlank(s[i]) || s[i] == '('); {
		i++
	}
	for limit := min(len(s), i+maxCommand/4); i < limit && s[i] != ')'; i++ {
		switch {
		case s[i] == ',':
			at--
		case isQuote(s[i]):
			stop := quotedEnd(s, i+1, s[i])
			f.work += stop - i
			if v := s[i+1 : stop]; at == 0 && len(v) >= 3 && !isReference(v, '"') && !isWordOfForms(v) && !isSentence(v) {
				f.add(i+1, stop, "password", rankName)
				return true
			}
			i = stop
		}
	}
	return false
}

// separatorOf is what separates the cells of a table's head, or 0 if line is none.
func separatorOf(line string) byte {
	switch {
	case strings.Contains(line, "|") && !strings.Contains(line, "||"):
		return '|'
	case strings.ContainsAny(line, "(){}[]<>=:."):
		return 0
	}
	for _, sep := range [...]byte{'\t', ';', ','} {
		if n := strings.Count(line, string(sep)); n > 0 && line[0] != sep && line[len(line)-1] != sep && strings.Count(line, " ") <= n {
			return sep
		}
	}
	return 0
}

// cell redacts the cell number at of the row s[from:to] if it holds a secret.
func (f *finder) cell(p policy, from, to int, sep byte, at int, user bool) bool {
	s := f.text
	for ; at > 0; at-- {
		from += strings.IndexByte(s[from:to], sep) + 1
	}
	if n := strings.IndexByte(s[from:to], sep); n >= 0 {
		to = from + n
	}
	from += len(s[from:to]) - len(strings.TrimLeft(s[from:to], " \t"))
	to = from + len(strings.TrimRight(s[from:to], " \t"))
	if from, to = f.unmarked(from, to); from >= to {
		return false
	}
	v := s[from:to]
	word := user && p == password && len(v) >= 6 && allIn(v, setLower) && !isProse(v) && !isWordOfForms(v)
	if !word && !isSaid(v, p, user) {
		return false
	}
	f.add(from, to, p.id(), rankName)
	return true
}
