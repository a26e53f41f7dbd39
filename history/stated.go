package history

import "strings"

// Statement is what a commit's message says of the agent that helped to write it.
type Statement struct {
	Text    string // the trailer, whole: "Co-Authored-By: Claude <noreply@anthropic.com>"
	Session string // the id of a session, "" if it names none
}

// namingSession are the trailers whose value is a session of an agent.
var namingSession = []string{"claude-session", "session-id", "entire-checkpoint"}

// coAuthors are the addresses under which agents sign as co-authors.
var coAuthors = []string{"noreply@anthropic.com", "noreply@openai.com", "+copilot@users.noreply.github.com", "cursoragent@cursor.com", "@aider.chat",
	"qwen-coder@alibabacloud.com", "noreply@opencode.ai", "amp@ampcode.com"}

// StatementOf reads a trailer of a commit's message. ok is false if it says nothing of an agent.
func StatementOf(trailer string) (s Statement, ok bool) {
	key, value, found := strings.Cut(trailer, ":")
	key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
	if !found || value == "" {
		return s, false
	}
	s.Text = strings.TrimSpace(trailer)
	for _, name := range namingSession {
		if key == name {
			s.Session = value[strings.LastIndexAny(value, "/ ")+1:] // an address ends in the id
			return s, true
		}
	}
	if key == "co-authored-by" {
		_, address, _ := strings.Cut(strings.ToLower(value), "<")
		for _, known := range coAuthors {
			if strings.HasSuffix(strings.TrimSuffix(address, ">"), known) {
				return s, true
			}
		}
	}
	return s, false
}
