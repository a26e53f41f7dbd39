package live

import (
	"fmt"
	"strings"
	"testing"

	"aburn/guard"
	"aburn/guard/facts"
)

// drawn draws entries in one line: P a prompt, p one of a machine; then calls with an input and a result: a=1, or a!1 if it failed.
// A leading + is a call of a sub-agent, @ one that starts a sub-agent, .env one that reads a secret.
func drawn(text string) (lines [][]byte) {
	n := 0
	add := func(event, agent, data string) {
		if agent != "" {
			agent = `"agent":{"id":"` + agent + `"},`
		}
		lines = append(lines, []byte(`{"ts":"2025-11-20T10:00:00Z","cmd":"session","event":"`+event+`","session":"s",`+agent+`"data":{`+data+`}}`))
	}
	for word := range strings.FieldsSeq(text) {
		agent := ""
		if strings.HasPrefix(word, "+") {
			agent, word = "a1", word[1:]
		}
		n++
		switch word {
		case "P":
			add("PROMPT", agent, "")
			continue
		case "p":
			add("PROMPT", agent, `"machine":true`)
			continue
		}
		tool, head := "Bash", "x"
		if strings.HasPrefix(word, "@") {
			tool = "Agent"
		}
		if strings.HasPrefix(word, ".env") {
			head = "cat .env"
		}
		input, result, failed := strings.Cut(word, "!")
		if !failed {
			input, result, _ = strings.Cut(word, "=")
		}
		about := fmt.Sprintf(`"tool":%q,"input":%q,"head":%q,"tool_use_id":"t%d"`, tool, input, head, n)
		add("TOOL_START", agent, about)
		if failed {
			add("TOOL_FAILED", agent, about+fmt.Sprintf(`,"result":%q`, result))
		} else if result != "" {
			add("TOOL", agent, about+fmt.Sprintf(`,"result":%q`, result))
		}
	}
	return lines
}

func TestReplay(t *testing.T) {
	place := guard.Place{Root: "/p", Home: "/h"}
	for _, c := range []struct {
		log  string
		r    Request
		want guard.Counts
	}{
		{"", Request{Tool: "Bash", Key: "a"}, guard.Counts{Turn: 1, Session: 1, Repeats: 1}},
		{"P a=1 b=1", Request{Tool: "Bash", Key: "c"}, guard.Counts{Turn: 3, Session: 3, Repeats: 1}},
		{"P a=1 a=1 a=1", Request{Tool: "Bash", Key: "a"}, guard.Counts{Turn: 4, Session: 4, Repeats: 4}},
		{"P a=1 a=1 a=2", Request{Tool: "Bash", Key: "a"}, guard.Counts{Turn: 4, Session: 4, Repeats: 2}},
		{"P a=1 a=1 P", Request{Tool: "Bash", Key: "a"}, guard.Counts{Turn: 1, Session: 3, Repeats: 1}},
		{"P a=1 p", Request{Tool: "Bash", Key: "a"}, guard.Counts{Turn: 2, Session: 2, Repeats: 2}},
		{"P a=1 +a=1 +a=1", Request{Tool: "Bash", Key: "a"}, guard.Counts{Turn: 2, Session: 2, Repeats: 2}},
		{"P a=1 +a=1 +a=1", Request{Tool: "Bash", Key: "a", Agent: "a1"}, guard.Counts{Turn: 3, Session: 3, Repeats: 3}},
		{"P a!1 b!1 c!1", Request{Tool: "Bash", Key: "d"}, guard.Counts{Turn: 4, Session: 4, Repeats: 1, Failures: 3}},
		{"P a!1 b=1 c!1", Request{Tool: "Bash", Key: "d"}, guard.Counts{Turn: 4, Session: 4, Repeats: 1, Failures: 1}},
		{"P @a=1 @b=1", Request{Tool: "Agent", Key: "c"}, guard.Counts{Turn: 3, Session: 3, Repeats: 1, Agents: 3, SessionAgents: 3}},
		{"P .env=1", Request{Tool: "Bash", Key: "c"}, guard.Counts{Turn: 2, Session: 2, Repeats: 1, SecretRead: true}},
		{"P .env=1 P", Request{Tool: "Bash", Key: "c"}, guard.Counts{Turn: 1, Session: 2, Repeats: 1}},
		{"P a=1 b", Request{Event: "PostToolUse", Tool: "Bash", Key: "b"}, guard.Counts{Turn: 2, Session: 2, Repeats: 1}},
	} {
		if got := Replay(drawn(c.log), &c.r, place, &facts.Then{}); got != c.want {
			t.Errorf("%q then %s: %+v, want %+v", c.log, c.r.Key, got, c.want)
		}
	}
}
