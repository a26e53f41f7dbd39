package drawn

import (
	"strings"
	"time"
)

// marks is what follows a tool call.
type marks struct {
	end     byte   // '<' none yet, '!' failed, '?' unknown, '&' runs on; 0 succeeded
	arg     string // of '!'
	name    string // of '<' and '&'
	content string
	salt    string
	took    time.Duration
}

// readMarks reads the marks in any order, each at most once.
func readMarks(s string) (m marks, ok bool) {
	for s != "" {
		sign := s[0]
		arg, rest := s[1:], ""
		if i := strings.IndexAny(arg, "<!?&=#("); i >= 0 && sign != '(' {
			arg, rest = arg[:i], arg[i:]
		}
		switch sign {
		case '<', '!', '?', '&':
			if m.end != 0 {
				return m, false
			}
			m.end = sign
			switch {
			case sign == '<', sign == '&':
				m.name = arg
			case sign == '!':
				m.arg = arg
			case arg != "":
				return m, false
			}
		case '=':
			m.content = arg
		case '#':
			m.salt = arg
		case '(':
			var closed bool
			if arg, rest, closed = strings.Cut(arg, ")"); !closed {
				return m, false
			}
			d, err := time.ParseDuration(arg)
			if err != nil {
				return m, false
			}
			m.took = d
		default:
			return m, false
		}
		s = rest
	}
	return m, true
}
