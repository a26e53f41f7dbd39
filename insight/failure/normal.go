package failure

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Normal returns a head without what varies between equal errors: paths, numbers, ids, hex,
// durations, dates, colours, and the agent's envelope. Names stay, quoted ones too, because
// another missing module is another error. Normal is idempotent.
func Normal(head string) string {
	n := normal{in: unwrap(head)}
	n.out = make([]byte, 0, len(n.in))
	for n.at < len(n.in) {
		n.next()
	}
	return strings.TrimRight(string(n.out), " ")
}

// normal is the state of one normalisation.
type normal struct {
	in  string
	at  int
	out []byte
	// timed says that the last output is a number with a unit: "2m 0s" is one duration.
	timed bool
}

// The placeholders.
const (
	forNumber = "#"
	forID     = "<id>"
	forPath   = "<path>"
	forURL    = "<url>"
)

// next consumes one character outside of words, or a whole word.
func (n *normal) next() {
	c := n.in[n.at]
	switch {
	case c == ' ':
		n.at++
		if len(n.out) > 0 && n.out[len(n.out)-1] != ' ' {
			n.out = append(n.out, ' ')
		}
	case c == '[' && n.colour():
	case c == '<' && n.placeholder():
	case isWordByte(c) || (c == '/' || c == '.' || c == '~') && n.beginsPath():
		n.word()
	default:
		n.at++
		n.mark(c)
	}
}

// mark writes a sign. The length of a drawn line varies with the text above it, so of a longer
// run one or three signs stay.
func (n *normal) mark(c byte) {
	n.timed = false
	most := 0
	switch c {
	case '^', '~':
		most = 1
	case '=', '-', '*', '.':
		most = 3
	}
	if k := len(n.out); most > 0 && k >= most && bytes.Count(n.out[k-most:], []byte{c}) == most {
		return
	}
	n.out = append(n.out, c)
}

func (n *normal) put(s string) { n.out = append(n.out, s...) }

// colour skips the rest of a terminal colour whose escape byte was removed: "[31m".
func (n *normal) colour() bool {
	for i := n.at + 1; i < len(n.in); i++ {
		switch c := n.in[i]; {
		case c == 'm' && i > n.at+1:
			n.at = i + 1
			return true
		case c != ';' && !isDigit(c):
			return false
		}
	}
	return false
}

// placeholder copies a placeholder of a text that is already normal.
func (n *normal) placeholder() bool {
	for _, p := range [...]string{forID, forPath, forURL} {
		if strings.HasPrefix(n.in[n.at:], p) {
			n.put(p)
			n.at += len(p)
			n.timed = false
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isWordByte reports whether c is part of a word. Bytes outside of ASCII count as letters.
func isWordByte(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}

// beginsPath reports whether a path with a leading sign begins here.
func (n *normal) beginsPath() bool {
	rest := strings.TrimLeft(n.in[n.at:], ".~")
	return len(rest) > 1 && rest[0] == '/' && (isWordByte(rest[1]) || rest[1] == '.') && n.at+3 >= len(n.in)-len(rest)
}

// word consumes a word with everything joined to it.
func (n *normal) word() {
	token := n.in[n.at:n.tokenEnd()]
	date := dateLen(n.in[n.at:])
	switch {
	case date > 0:
		n.replaced(date, forNumber)
	case strings.Contains(token, "://"):
		n.replaced(len(token), forURL)
	case isPath(token):
		n.replaced(n.quotedPath(len(token)), forPath)
	case isUUID(token):
		n.replaced(len(token), forID)
	default:
		n.plain(n.at + len(token))
	}
}

func (n *normal) replaced(size int, by string) {
	n.at += size
	n.put(by)
	n.timed = false
}

// tokenEnd is the end of the word that begins here, including parts joined by signs of paths,
// names and addresses.
func (n *normal) tokenEnd() int {
	i, url := n.at, false
	for ; i < len(n.in); i++ {
		c := n.in[i]
		switch {
		case isWordByte(c), c == '.', c == '-', c == '/', c == '\\', c == '~', c == '+', c == '@', c == '%':
			continue
		case url && strings.IndexByte("?=&#:,;!$*", c) >= 0:
			continue
		case c == ':' && strings.HasPrefix(n.in[i:], "://"):
			url = true
			i += 2
			continue
		case c == ':' && i == n.at+1 && i+1 < len(n.in) && (n.in[i+1] == '\\' || n.in[i+1] == '/'): // a drive
			continue
		}
		break
	}
	for i > n.at+1 && strings.IndexByte(".-:,;!?", n.in[i-1]) >= 0 {
		i--
	}
	return i
}

// quotedPath is the length of a path of size bytes up to its closing quotation mark: a quoted
// path may contain blanks.
func (n *normal) quotedPath(size int) int {
	if n.at == 0 || strings.IndexByte(`'"`+"`", n.in[n.at-1]) < 0 || n.in[n.at] != '/' && n.in[n.at] != '~' && !isDrive(n.in[n.at:]) {
		return size
	}
	end := strings.IndexByte(n.in[n.at:], n.in[n.at-1])
	if end < size || end > 300 {
		return size
	}
	return end
}

func isDrive(s string) bool { return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') }

// isPath reports whether a word is a path or a file name.
func isPath(token string) bool {
	if isDrive(token) || strings.HasPrefix(token, "~/") {
		return true
	}
	if strings.HasPrefix(token, "HTTP/") {
		return false
	}
	if strings.ContainsAny(token, `/\`) {
		return len(token) > 3 && strings.Trim(token, "0123456789/.") != ""
	}
	name, ext, ok := cutLast(token)
	if !ok || name == "" {
		return false
	}
	_, inner, _ := cutLast(name) // a copy of a file: "x.go.orig"
	return isExtension(ext) || isExtension(inner) && strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz") == ""
}

// cutLast splits a word at its last point.
func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// isExtension reports whether s is a file extension that agents work with.
func isExtension(s string) bool {
	switch s {
	case "go", "mod", "sum", "py", "pyi", "ipynb", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "rs", "java", "kt", "kts", "scala", "c",
		"h", "cc", "cpp", "cxx", "hpp",
		"cs", "rb", "php", "swift", "dart", "lua", "pl", "ex", "exs", "zig", "sh", "bash", "zsh", "ps1", "bat", "sql", "proto", "json", "jsonl", "yaml", "yml",
		"toml", "ini", "cfg", "conf", "lock",
		"xml", "html", "css", "scss", "md", "rst", "txt", "csv", "tsv", "log", "png", "jpg", "svg", "pdf", "gz", "zip", "tar", "db", "sqlite", "tmp", "o", "so", "a",
		"jar", "class", "gradle", "tf", "snap":
		return true
	}
	return false
}

// isUUID reports whether a word is 8-4-4-4-12 hex digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// plain consumes a word that is neither path nor address, run by run of letters and digits.
func (n *normal) plain(end int) {
	for n.at < end {
		if !isWordByte(n.in[n.at]) {
			c := n.in[n.at]
			n.at++
			n.mark(c)
			continue
		}
		from := n.at
		for n.at < end && isWordByte(n.in[n.at]) {
			n.at++
		}
		n.run(n.in[from:n.at], end)
	}
}

// Unwrap removes the tags that agents write around a tool's result for their model. A text may be cut before the closing one.
func Unwrap(s string) string {
	s = strings.TrimSpace(s)
	for _, tag := range [...]string{"tool_use_error", "untrusted_context", "error"} {
		if rest, ok := strings.CutPrefix(s, "<"+tag+">"); ok {
			s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "</"+tag+">"))
		}
	}
	return s
}

// unwrap removes the envelope that agents write around a tool's result, and the input that they
// quote after their own sentence. Neither makes it another error.
func unwrap(s string) string {
	s = unhead(Unwrap(s))
	for _, end := range [...]string{" Process Group PGID: ", " (Command exited with code ", " <shell_metadata>"} {
		if i := strings.LastIndex(s, end); i >= 0 {
			s = s[:i]
		}
	}
	if i := strings.LastIndex(s, " Exit Code: "); i >= 0 && strings.Trim(s[i+len(" Exit Code: "):], "0123456789") == "" {
		s = s[:i]
	}
	// Node prints its memory statistics before the error.
	if i := strings.Index(s, "FATAL ERROR: "); i > 0 && strings.Contains(s[:i], "<--- Last few GCs --->") {
		s = s[i:]
	}
	for _, sentence := range [...]string{"String to replace not found in file.", "of the string to replace,", "Failed to find expected lines in",
		"Failed to find context"} {
		if i := strings.Index(s, sentence); i >= 0 {
			s = s[:i+len(sentence)]
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(s, "Error: "), "error: ")
}

// unhead removes the exit status, which is known from elsewhere, and the word that announces the
// output.
func unhead(s string) string {
	for _, head := range [...]string{"Chunk ID: ", "Wall time: ", "Exit code: ", "Command: "} {
		if !strings.HasPrefix(s, head) {
			continue
		}
		for _, mark := range [...]string{" Output: ", " Stdout: "} {
			if i := strings.Index(s, mark); i >= 0 && i < 300 {
				return s[i+len(mark):]
			}
		}
	}
	if rest, ok := strings.CutPrefix(s, "Exit code "); ok {
		return strings.TrimLeft(strings.TrimLeft(rest, "0123456789"), " ")
	}
	return strings.TrimPrefix(s, "Output: ")
}
