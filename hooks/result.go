package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
)

// maxResult is how much of a call's answer counts, in bytes: half from its beginning and half from its end.
const maxResult = 64 << 10

// ResultKey is the short keyed hash of what the payload says that its call answered: equal for two calls that answered
// the same but for times, durations, process ids and addresses. It is "" without a key or an answer.
func ResultKey(key []byte, p *Payload) string {
	answer := string(p.Response)
	if answer == "" {
		answer = p.Get("error").Raw
	}
	if len(key) == 0 || answer == "" || answer == "null" {
		return ""
	}
	n := normalizer{sum: sha256.New()}
	n.sum.Write(key)
	if len(answer) <= maxResult {
		n.text(answer)
	} else {
		n.text(answer[:maxResult/2])
		n.text(answer[len(answer)-maxResult/2:])
	}
	n.flush()
	return hex.EncodeToString(n.sum.Sum(nil)[:4])
}

// normalizer hashes a text with a sign in place of each number that differs from run to run. All other numbers count:
// they may be progress.
type normalizer struct {
	sum hash.Hash
	buf [4 << 10]byte
	n   int
}

func (n *normalizer) flush() {
	n.sum.Write(n.buf[:n.n])
	n.n = 0
}

func (n *normalizer) add(s string) {
	for len(s) > 0 {
		if n.n == len(n.buf) {
			n.flush()
		}
		c := copy(n.buf[n.n:], s)
		n.n += c
		s = s[c:]
	}
}

// text adds s. It looks at digits only; what stands between is copied.
func (n *normalizer) text(s string) {
	from := 0
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if volatile := varies(s, i, end); volatile > i {
			n.add(s[from:i])
			n.add("#")
			from, end = volatile, volatile
		}
		i = end
	}
	n.add(s[from:])
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// varies is the end of what differs from run to run and begins with the digits s[i:end]; i if these count.
func varies(s string, i, end int) int {
	before := byte(' ')
	if i > 0 {
		before = s[i-1]
	}
	if isLetter(before) || before == '_' {
		if end-i >= 6 && strings.Contains(s[max(0, i-48):i], "tmp") {
			return end // of a temporary folder's name
		}
		if before != 'T' && before != 'n' && before != 't' { // 2026-11-29T10:00, \n and \t in JSON
			return i
		}
	}
	if at := date(s, i, end); at > i {
		return at
	}
	if before != ':' {
		if at := clock(s, i, end); at > i {
			return at
		}
	}
	if at := address(s, i, end); at > i {
		return at
	}
	if at := duration(s, end); at > end {
		return at
	}
	switch {
	case (end-i == 10 || end-i == 13) && s[i] == '1' && s[i+1] >= '5': // seconds or milliseconds since 1970
		return fraction(s, end)
	case before == ':' && end-i == 5 && i > 1 && (isDigit(s[i-2]) || isLetter(s[i-2])): // a port, as systems choose it
		return end
	case end-i >= 6 && strings.Contains(s[max(0, i-48):i], "tmp"):
		return end
	case named(s[:i]):
		return fraction(s, end)
	}
	return i
}

func fraction(s string, i int) int {
	if i+1 < len(s) && (s[i] == '.' || s[i] == ',') && isDigit(s[i+1]) {
		for i++; i < len(s) && isDigit(s[i]); {
			i++
		}
	}
	return i
}

// shaped reports whether s[i:] has the form: 0 stands for a digit.
func shaped(s string, i int, form string) bool {
	if len(s)-i < len(form) {
		return false
	}
	for k := range len(form) {
		if c := s[i+k]; form[k] == '0' && !isDigit(c) || form[k] != '0' && c != form[k] {
			return false
		}
	}
	return true
}

// date is the end of 2026-11-29 or 2026/11/29, with the time of day behind it.
func date(s string, i, end int) int {
	if end-i != 4 || !shaped(s, end, "-00-00") && !shaped(s, end, "/00/00") {
		return i
	}
	end += len("-00-00")
	if end+1 < len(s) && (s[end] == 'T' || s[end] == ' ') && shaped(s, end+1, "00:00") {
		return zone(s, fraction(s, seconds(s, end+len("T00:00"))))
	}
	return end
}

func seconds(s string, i int) int {
	if shaped(s, i, ":00") {
		return i + len(":00")
	}
	return i
}

func zone(s string, i int) int {
	switch {
	case i < len(s) && s[i] == 'Z':
		return i + 1
	case shaped(s, i, "+00:00"), shaped(s, i, "-00:00"):
		return i + len("+00:00")
	case shaped(s, i, "+0000"), shaped(s, i, "-0000"):
		return i + len("+0000")
	}
	return i
}

// clock is the end of 10:04:05 or 4:05.12. A time of day without seconds may be the place of something in a file.
func clock(s string, i, end int) int {
	if end-i > 2 || !shaped(s, end, ":00") {
		return i
	}
	minutes := end + len(":00")
	if all := fraction(s, seconds(s, minutes)); all > minutes {
		return zone(s, all)
	}
	return i
}

// address is the end of 0x7ffe12ab.
func address(s string, i, end int) int {
	if end-i != 1 || s[i] != '0' || end >= len(s) || s[end] != 'x' {
		return i
	}
	at := end + 1
	for at < len(s) && (isDigit(s[at]) || 'a' <= s[at]|0x20 && s[at]|0x20 <= 'f') {
		at++
	}
	if at-end > 4 {
		return at
	}
	return i
}

// units of durations; only those from the third on may stand behind a blank.
var units = [...]string{"m", "h", "ms", "s", "us", "µs", "μs", "ns", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "hour", "hours"}

// duration is the end of 1.23s, 3m12.5s or 0.04 seconds, whose first digits end at i; i if there is no unit.
func duration(s string, i int) int {
	end := i
	for {
		number := fraction(s, i)
		unit := number
		if unit < len(s) && s[unit] == ' ' {
			unit++
		}
		word := unit
		for word < len(s) && (isLetter(s[word]) || s[word] >= 0x80) && word-unit < 8 {
			word++
		}
		if !isUnit(s[unit:word], unit > number) {
			return end
		}
		end = word
		for i = end; i < len(s) && isDigit(s[i]); {
			i++
		}
		if i == end {
			return end
		}
	}
}

func isUnit(word string, apart bool) bool {
	for i, u := range units {
		if word == u {
			return !apart || i > 1
		}
	}
	return false
}

// named reports whether the word before a number says that it differs from run to run: pid 12, "durationMs":12.
func named(before string) bool {
	end := len(before)
	for end > 0 && len(before)-end < 4 && strings.IndexByte(` "'\:=(#`, before[end-1]) >= 0 {
		end--
	}
	from := end
	for from > 0 && end-from < 24 && (isLetter(before[from-1]) || before[from-1] == '_') {
		from--
	}
	if from == end || end == len(before) {
		return false
	}
	word := before[from:end]
	switch strings.ToLower(word) {
	case "shellid", "pid", "pids", "ppid", "pgid", "tid", "elapsed", "duration", "took", "time", "port", "ms":
		return true
	}
	return strings.HasSuffix(word, "Ms") || strings.HasSuffix(word, "_ms") || strings.HasSuffix(word, "Pid") || strings.HasSuffix(word, "_pid")
}
