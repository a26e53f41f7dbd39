package state

import (
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
)

// Trouble is why a service does not answer.
type Trouble string

// The troubles that end turn after turn.
const (
	RateLimit Trouble = "rate limit"
	Overload  Trouble = "overload"
	Quota     Trouble = "quota"
	Context   Trouble = "context"
)

// Blocked is turns in a row that ended because a service did not answer. A turn that ends otherwise clears it, and so does the
// session's end. A turn that got work done first begins the row anew.
type Blocked struct {
	First, Last Mark
	Turn        Mark    // the start of the newest such turn: some clients try again within one
	Count       int     // such turns
	Kind        Trouble // of the newest
	Resets      string  // when it ends, as the newest said it; in words of times only
}

// mostBlockedCalls is how many calls may end in a turn that counts as blocked.
const mostBlockedCalls = 3

// noteService notes how a turn of the session itself ended.
func (x *step) noteService() {
	b := &x.ses.Blocked
	kind := Trouble("")
	if x.e.Event == logfmt.TurnFailed {
		kind = troubleOf(x.d.Error.String(), x.d.Reason.String())
	}
	if kind == "" {
		*b = Blocked{}
		return
	}
	start := x.ses.Turn.Start
	if x.ses.Turn.Calls > mostBlockedCalls && start != b.Turn {
		*b = Blocked{}
	}
	if b.Count == 0 {
		b.First = x.at
	}
	if b.Count == 0 || start != b.Turn {
		b.Count, b.Turn = b.Count+1, start
	}
	b.Last, b.Kind, b.Resets = x.at, kind, cut(resetIn(x.d.Reason.String(), x.at.Time()), maxName)
}

// troubleOf reads the client's code of an error, and its text where the code says nothing.
func troubleOf(code, text string) Trouble {
	both := strings.ToLower(code + " " + text)
	for _, t := range [...]struct {
		kind  Trouble
		words []string
	}{
		{Quota, []string{"usage_limit", "usage limit", "insufficient_quota", "quota", "billing_error", "credit balance", "hour limit", "weekly limit"}},
		{Context, []string{"context_window", "context_length", "context window", "prompt is too long"}},
		{Overload, []string{"overloaded"}},
		{RateLimit, []string{"rate_limit", "rate limit", "too_many_requests", "too many requests"}},
	} {
		for _, w := range t.words {
			if strings.Contains(both, w) {
				return t.kind
			}
		}
	}
	return ""
}

// resetIn is the time that an error's text states for its end, "" without one: "3pm (Europe/Berlin)". It takes words of times and
// nothing else, because the text is the service's.
func resetIn(text string, now time.Time) string {
	if _, after, ok := strings.Cut(text, "|"); ok { // Claude Code: limit reached|1764435600
		if n, err := strconv.ParseInt(leading(after, isDigit), 10, 64); err == nil && n > now.Unix() && n < now.Unix()+31*24*3600 {
			return time.Unix(n, 0).UTC().Format("2006-01-02 15:04 UTC")
		}
	}
	lower := strings.ToLower(text)
	for _, begin := range [...]string{"resets at ", "resets in ", "resets ", "try again at ", "try again in ", "retry after ", "retry in "} {
		if i := strings.Index(lower, begin); i >= 0 && len(lower) == len(text) {
			if t := timeWords(text[i+len(begin):]); t != "" {
				if strings.HasSuffix(begin, "in ") || strings.HasSuffix(begin, "after ") {
					return "in " + t
				}
				return t
			}
		}
	}
	return ""
}

// mostTimeWords bounds a stated time: "21 Nov 2026 at 4:35 PM (Europe/Berlin)".
const mostTimeWords = 7

// timeWords is the beginning of s that is a time.
func timeWords(s string) string {
	var words []string
	number := false
	for _, w := range strings.Fields(s) {
		last := strings.HasSuffix(w, ".") || strings.HasSuffix(w, ",")
		if w = strings.Trim(w, ".,;"); len(words) == mostTimeWords || !isTimeWord(w) {
			break
		}
		number = number || isDigit(w[0])
		if words = append(words, w); last {
			break
		}
	}
	if !number {
		return ""
	}
	return strings.Join(words, " ")
}

func isTimeWord(w string) bool {
	switch lower := strings.ToLower(w); lower {
	case "":
		return false
	case "am", "pm", "at", "on", "utc", "gmt", "tomorrow", "today", "s", "second", "seconds", "minute", "minutes", "min", "mins", "hour", "hours", "day", "days",
		"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun":
		return true
	}
	if zone, ok := strings.CutPrefix(w, "("); ok {
		zone, closed := strings.CutSuffix(zone, ")")
		return closed && len(zone) <= 32 && leading(zone, func(c byte) bool { return isLetter(c) || c == '/' || c == '_' }) == zone
	}
	n := leading(w, func(c byte) bool { return isDigit(c) || c == ':' || c == '-' })
	rest := strings.ToLower(w[len(n):])
	return n != "" && isDigit(n[0]) && len(n) <= 10 && (rest == "" || rest == "s" || rest == "m" || rest == "h" || rest == "d" || rest == "am" || rest == "pm")
}

func leading(s string, is func(byte) bool) string {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return s[:n]
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
