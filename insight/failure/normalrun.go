package failure

import (
	"bytes"
	"strings"
)

// run takes a run of letters and digits of a word that ends at end.
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
	case isHash(s): // as a number: some have no letter
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

// name takes letters. A month before a day is a date's, and AM or PM a time's.
func (n *normal) name(s string) {
	if isMonth(s) && n.at+1 < len(n.in) && n.in[n.at] == ' ' && isDigit(n.in[n.at+1]) {
		s = forNumber
	} else if (s == "AM" || s == "PM") && n.endsIn(forNumber+" ") {
		n.out, s = n.out[:len(n.out)-1], ""
	}
	n.put(s)
	n.timed = false
}

// endsIn says whether s was written last.
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

// number takes a number that begins with s, and what of it stands behind a point or comma.
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

// thousands says whether a comma and three digits stand at the beginning of s.
func thousands(s string) bool {
	return len(s) >= 4 && s[0] == ',' && isDigit(s[1]) && isDigit(s[2]) && isDigit(s[3]) && (len(s) == 4 || !isWordByte(s[4]))
}

// dateLen is how long the date is that s begins with, with its time: 2026-11-21T10:11:12.5Z; 0 if there is none.
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

// shape is how long the beginning of s is that looks like form, in which 0 stands for a digit; 0 if it does not.
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

// units is what can stand directly behind a number.
const units = " ns us µs ms s m h d min sec b k kb mb gb tb kib mib gib th st nd rd x "

// isQuantity says whether s is a number, one with a unit, or several such ("1m30s").
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

// isHash says whether s is hex of at least the length to which git cuts, or begins with 0x.
func isHash(s string) bool {
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		return strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
	}
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == ""
}

// isID says whether letters and digits are somebody's id and no name: a last part that is hex, or in which letters and digits
// change too often for a name.
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
