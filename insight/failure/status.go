package failure

import "strings"

// statusForms is what tools write before an HTTP status.
var statusForms = [...]string{"http", "http error", "http/1.0", "http/1.1", "http/2", "http/#", "status", "status:", "status code", "status code:", "code", "code:", "error", "error:", "failed with", "response", "rejected"}

// statuses is the first HTTP statuses that a text in lower case tells: numbers from 400 to 599 behind a word that announces one.
func statuses(text []byte) (all [4]int) {
	n := 0
	for i := 0; i+3 <= len(text) && n < len(all); i++ {
		if (text[i] == '4' || text[i] == '5') && isStatus(text, i) {
			all[n] = int(text[i]-'0')*100 + int(text[i+1]-'0')*10 + int(text[i+2]-'0')
			n++
			i += 2
		}
	}
	return all
}

// isStatus says whether the number at text[i:] has three digits, begins with 4 or 5, and is announced as an HTTP status.
func isStatus(text []byte, i int) bool {
	if i+3 > len(text) || text[i] != '4' && text[i] != '5' || !isDigit(text[i+1]) || !isDigit(text[i+2]) ||
		i+3 < len(text) && (isWordByte(text[i+3]) || text[i+3] == '.' && i+4 < len(text) && isDigit(text[i+4])) {
		return false
	}
	const longest = 24
	before := strings.TrimRight(strings.ToLower(string(text[max(0, i-longest):i])), " (=\"'")
	if len(before) == min(i, longest) {
		return false // nothing parts them
	}
	for _, form := range statusForms {
		if rest, ok := strings.CutSuffix(before, form); ok && (rest == "" || !isWordByte(rest[len(rest)-1])) {
			return true
		}
	}
	return false
}
