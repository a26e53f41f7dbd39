package supervisor

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// Type is a kind of trouble: one of limits.Types.
type Type string

// Issue is one thing that is wrong, or missing.
type Issue struct {
	Type       Type
	Session    logfmt.SessionID // "" = the chain, which is the project's (see OfChain), or entries that name no session
	Agent      string           // the sub-agent that it is about
	Signature  string           // stable: the same trouble has the same one after a restart, a later one of its kind another
	Confidence float64          // 0–1, computed from the evidence
	Evidence   []state.Mark     // the entries that prove it, oldest first
	Since      state.Mark       // from when it was true
	Says       string           // what is wrong, in our own words and counts, one line
	Healthy    string           // what would have been healthy
	Suggest    string           // what the agent should do
}

// OfChain reports whether the issue is the project's and not a session's. Issues of
// entries that name no session have the Session "" too, but no session can be told.
func (i *Issue) OfChain() bool { return i.Type == limits.ChainBroken }

// signature is the type and a hash of all that tells this issue from a later one of its
// type.
func signature(t Type, session logfmt.SessionID, parts ...string) string {
	const prime, basis = 1099511628211, 14695981039346656037
	h := uint64(basis)
	for _, part := range append([]string{string(session)}, parts...) {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * prime
		}
		h = (h ^ 0xff) * prime // no byte of UTF-8
	}
	hex := strconv.FormatUint(h, 16)
	return string(t) + "-" + strings.Repeat("0", 16-len(hex)) + hex
}

// Level is how far an issue goes.
type Level string

// The levels, by confidence (design: graduated response).
const (
	Notify  Level = "notify"
	Suggest Level = "suggest"
	Queue   Level = "queue"
)

// LevelOf is the level of an issue under the limits; "" when its type is switched off.
func LevelOf(i *Issue, l *limits.Limits) Level {
	switch {
	case slices.Contains(l.Off, string(i.Type)):
		return ""
	case i.Confidence > l.QueueAbove:
		return Queue
	case i.Confidence >= l.SuggestAbove:
		return Suggest
	}
	return Notify
}

// maxPrompt bounds the text about one issue, in bytes.
const maxPrompt = 1500

// Prompt is the text that tells the agent about an issue: our own sentences, counts, entry numbers, names in quotes.
func (i *Issue) Prompt() string {
	var b strings.Builder
	b.WriteString(string(i.Type) + " (" + confidence(i.Confidence) + "): ")
	if i.Agent != "" && !i.aboutAgent() {
		b.WriteString("in the sub-agent " + quoted(i.Agent) + ", ")
	}
	b.WriteString(i.Says + ".")
	if numbers := i.entries(); numbers != "" {
		b.WriteString(" Evidence: " + numbers + " of .oss/workflow.log.")
	}
	b.WriteString(" Healthy would be: " + i.Healthy + ". Suggested: " + i.Suggest)
	s := b.String()
	if len(s) > maxPrompt {
		s = s[:cutAt(s, maxPrompt)] + "…"
	}
	return s
}

// aboutAgent reports whether Says names the sub-agent already.
func (i *Issue) aboutAgent() bool {
	switch i.Type {
	case limits.AgentFailed, limits.AgentSilence, limits.AbandonedAgent, limits.AgentHangs, limits.IgnoredAdvice:
		return true
	}
	return false
}

func cutAt(s string, max int) int {
	for max > 0 && s[max]&0xc0 == 0x80 {
		max--
	}
	return max
}

// entries are the numbers of the evidence, "entries 12, 15, 20".
func (i *Issue) entries() string {
	var numbers []string
	for _, m := range i.Evidence {
		if m.Seq != 0 {
			numbers = append(numbers, strconv.FormatUint(uint64(m.Seq), 10))
		}
	}
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return "entry " + numbers[0]
	}
	return "entries " + strings.Join(numbers, ", ")
}

func confidence(c float64) string { return "confidence " + strconv.FormatFloat(c, 'f', 2, 64) }

// maxQuoted bounds a name, path or command in a text, in bytes.
const maxQuoted = 120

// quoted is a text of the log as one line without secrets, control and bidi characters, cut, in
// quotes that it cannot close. Secrets go before the cut: what it leaves of one is not found any more.
func quoted(s string) string {
	s, _ = scrub.Text(plain.ModelLine(s))
	return plain.Quote(s, maxQuoted)
}

// count is "1 turn", "2 turns".
func count(n int, noun string) string {
	s := strconv.Itoa(n) + " " + noun
	if n != 1 {
		s += "s"
	}
	return s
}

// lasting is a duration in words.
func lasting(d time.Duration) string {
	switch {
	case d < time.Minute:
		return count(int(d/time.Second), "second")
	case d < 2*time.Hour:
		return count(int(d/time.Minute), "minute")
	}
	return count(int(d/time.Hour), "hour")
}

// list quotes at most most names and counts the rest.
func list(names []string, most int) string {
	s := ""
	for i, name := range names {
		if i == most {
			return s + " and " + strconv.Itoa(len(names)-i) + " more"
		}
		if i > 0 {
			s += ", "
		}
		s += quoted(name)
	}
	return s
}

func called(tool, input string) string {
	if input == "" {
		return quoted(tool)
	}
	return quoted(tool + ": " + input)
}

// atLeast is n, or "at least n" where counting ends at most.
func atLeast(n, most int) string {
	if n >= most {
		return "at least " + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
