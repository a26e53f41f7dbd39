package logfmt

// Kind is what a line looks like at first sight.
type Kind int

// The kinds of lines. Only an EntryLine can be an entry; Parse decides.
const (
	Blank     Kind = iota // empty or only spaces: legal and ignored
	Comment               // begins with '#': the human line, or a remark
	EntryLine             // begins with '{'
	Damage                // anything else: NULs, the rest of a torn line
)

// Classify examines one line without its newline, in a few nanoseconds.
func Classify(line []byte) Kind {
	line = TrimLine(line)
	if len(line) == 0 {
		return Blank
	}
	switch line[0] {
	case '#':
		return Comment
	case '{':
		return EntryLine
	}
	return Damage
}

// TrimLine removes what may surround a line: a byte order mark, blanks, CR.
func TrimLine(line []byte) []byte {
	if len(line) >= 3 && line[0] == 0xEF && line[1] == 0xBB && line[2] == 0xBF {
		line = line[3:]
	}
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
