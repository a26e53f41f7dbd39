package failure

import (
	"bytes"
	"strings"
)

// run consumes a run of letters and digits within a word that ends at end.
func (n *normal) run(s string, end int) {
	digits := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		}
	}
	switch {
	case digits == 0:
		n.name(s)
	case digits == 3 && len(s) == 3 && isStatus([]byte(n.in[:min(n.at+2, len(n.in))]), n.at-3):
		n.put(s)
		n.timed = false
	case isQuantity(s):
		n.number(s, end)
	case isHash(s): // as a number: some hashes have no letter
		n.number(s, n.at)
	case isID(s):
		n.replaced(0, forID)
	case s[0]|0x20 == 'v' && isQuantity(s[1:]): // v1.2.3
		n.put(s[:1])
		n.number(s[1:], end)
	default:
		n.put(s)
		n.timed = false
	}
}

// name writes letters, except for the month of a date and a time's AM or PM.
func (n *normal) name(s string) {
	if isMonth(s) && n.at+1 < len(n.in) && n.in[n.at] == ' ' && isDigit(n.in[n.at+1]) {
		s = forNumber
	} else if (s == "AM" || s == "PM") && n.endsIn(forNumber+" ") {
		n.out, s = n.out[:len(n.out)-1], ""
	}
	n.put(s)
	n.timed = false
}

func (n *normal) endsIn(s string) bool { return bytes.HasSuffix(n.out, []byte(s)) }

func isMonth(s string) bool {
	if len(s) < 3 {
		return false
	}
	for _, m := range [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"} {
		if s == m || s == m[:3] {
			return true
		}
	}
	return false
}

// number consumes a number that begins with s, with its decimals and thousands.
func (n *normal) number(s string, end int) {
	unit := !isDigit(s[len(s)-1])
	for n.at+1 < end && n.in[n.at] == '.' && isDigit(n.in[n.at+1]) || thousands(n.in[n.at:]) {
		for n.at++; n.at < len(n.in) && isWordByte(n.in[n.at]); n.at++ {
		}
		unit = unit || !isDigit(n.in[n.at-1])
	}
	if unit && n.timed && n.endsIn(forNumber+" ") {
		n.out = n.out[:len(n.out)-1]
		return
	}
	n.put(forNumber)
	n.timed = unit
}

// thousands reports whether s begins with a comma and three digits.
func thousands(s string) bool {
	return len(s) >= 4 && s[0] == ',' && isDigit(s[1]) && isDigit(s[2]) && isDigit(s[3]) && (len(s) == 4 || !isWordByte(s[4]))
}

// dateLen is the length of the date, with its time, that s begins with (2026-11-21T10:11:12.5Z),
// or 0.
func dateLen(s string) int {
	end := shape(s, "0000-00-00")
	if end == 0 {
		end = shape(s, "0000/00/00")
	}
	if end == 0 || end < len(s) && isDigit(s[end]) {
		return 0
	}
	if end < len(s) && (s[end] == 'T' || s[end] == ' ') && shape(s[end+1:], "00:00") > 0 {
		end += len("T00:00")
		for end+1 < len(s) && (s[end] == ':' || s[end] == '.') && isDigit(s[end+1]) || end < len(s) && isDigit(s[end]) {
			end++
		}
	}
	switch {
	case end < len(s) && s[end] == 'Z':
		end++
	case end < len(s) && (s[end] == '+' || s[end] == '-') && shape(s[end+1:], "00:00") > 0:
		end += len("+00:00")
	}
	return end
}

// shape is the length of form if s begins like it, or 0. A 0 in form stands for any digit.
func shape(s, form string) int {
	if len(s) < len(form) {
		return 0
	}
	for i := range len(form) {
		if form[i] == '0' && !isDigit(s[i]) || form[i] != '0' && s[i] != form[i] {
			return 0
		}
	}
	return len(form)
}

// units can directly follow a number.
const units = " ns us µs ms s m h d min sec b k kb mb gb tb kib mib gib th st nd rd x "

// isQuantity reports whether s is a number, one with a unit, or several of these ("1m30s").
func isQuantity(s string) bool {
	for s != "" {
		i := 0
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == 0 {
			return false
		}
		s = s[i:]
		for i = 0; i < len(s) && !isDigit(s[i]); i++ {
		}
		if i > 0 && !strings.Contains(units, " "+strings.ToLower(s[:i])+" ") {
			return false
		}
		s = s[i:]
	}
	return true
}

// isHash reports whether s is hex of at least 7 digits, git's short form, or begins with 0x.
func isHash(s string) bool {
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		return strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
	}
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == ""
}

// isID reports whether s is an id rather than a name: its last part is hex, or alternates between
// letters and digits too often for a name.
func isID(s string) bool {
	last := s[strings.LastIndexByte(s, '_')+1:]
	if len(last) < len(s) && isHash(last) {
		return true
	}
	changes := 0
	for i := 1; i < len(last); i++ {
		if isDigit(last[i]) != isDigit(last[i-1]) {
			changes++
		}
	}
	return len(last) >= 8 && changes >= 4 || len(last) >= 20 && changes >= 2
}
