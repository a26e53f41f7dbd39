package supervisor

import (
	"slices"
	"strconv"
	"strings"

	"aburn/supervisor/limits"
)

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

// aboutAgent reports whether what the issue says names the sub-agent.
func (i *Issue) aboutAgent() bool {
	return i.Type == limits.AgentFailed || i.Type == limits.AgentSilence || i.Type == limits.AbandonedAgent || i.Type == limits.IgnoredAdvice
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
