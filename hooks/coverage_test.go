package hooks_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/hooks/codex"
	"aburn/hooks/copilot"
	"aburn/hooks/gemini"
	"aburn/hooks/opencode"
	"aburn/hooks/qwen"
	"aburn/internal/project"
)

// dropped says why an event that was recorded becomes no entry.
var dropped = map[string]string{
	"claude MessageDisplay":         "it comes for every piece of text; not registered",
	"claude WorktreeCreate":         "a hook that prints nothing there breaks the making of worktrees; not registered",
	"codex PreModelRequest":         "it comes at every request to the model; not registered",
	"codex PostModelRequest":        "it comes at every request to the model; not registered",
	"gemini BeforeModel":            "it comes at every request to the model; not registered",
	"gemini AfterModel":             "it comes at every request to the model; not registered",
	"gemini BeforeToolSelection":    "it comes at every request to the model; not registered",
	"gemini PreCompress":            "it comes at every request to the model, compressed or not; not registered",
	"qwen InstructionsLoaded":       "it comes for every file of instructions; not registered",
	"qwen MessageDisplay":           "it comes for every piece of text; not registered",
	"qwen Notification":             "auth_success says nothing of the work",
	"qwen PreCompact":               "it comes also where nothing is compacted; not registered",
	"qwen UserPromptSubmit":         "an empty prompt comes before every further request of a turn",
	"copilot agentStop":             "a sub-agent's comes just before its subagentStop",
	"copilot permissionRequest":     "it comes for calls that are allowed too, and a hook that fails there denies; not registered",
	"copilot preMcpToolCall":        "it repeats preToolUse; not registered",
	"copilot userPromptTransformed": "it repeats userPromptSubmitted; not registered",
}

// unseen says why there is no recorded payload of an event that aburn registers.
var unseen = map[string]string{
	"opencode session.compacted": "no run was long enough; the fields are those of the plugin that we wrote",
	"qwen UserPromptExpansion":   "read in the client's source",
	"qwen PermissionDenied":      "read in the client's source",
	"qwen StopFailure":           "read in the client's source; a 400 of the provider did not raise it",
	"qwen PostCompact":           "read in the client's source",
	"copilot preCompact":         "known by the client's documentation",
}

// coverage is what the recorded payloads of one event become.
type coverage struct {
	payloads int
	becomes  []string
}

func (c *coverage) add(what string) {
	if !slices.Contains(c.becomes, what) {
		c.becomes = append(c.becomes, what)
		slices.Sort(c.becomes)
	}
}

// TestCoverage: every event of every client that was recorded becomes entries, or is dropped for a reason that stands here. Every
// event that aburn registers was recorded, or it is said why not. docs/evidence/events.md is the table.
func TestCoverage(t *testing.T) {
	proj := recordedProject(t)
	var table bytes.Buffer
	table.WriteString("| becomes | events, with their payloads |\n|---|---|\n")
	var results []string
	becoming := map[string]string{} // events by result
	for _, agent := range []hooks.Agent{claude.Agent(), codex.Agent(), opencode.Agent(), gemini.Agent(), qwen.Agent(), copilot.Agent()} {
		events := map[string]*coverage{}
		for name, payload := range recorded(t, agent) {
			cover(t, agent, proj, events, name, payload)
		}
		for _, e := range agent.Hooks.Events {
			if events[e.Name] == nil {
				events[e.Name] = &coverage{becomes: []string{"not recorded: " + unseen[agent.Name+" "+e.Name]}}
				if unseen[agent.Name+" "+e.Name] == "" {
					t.Errorf("%s: no payload of %s is recorded, and nothing says why", agent.Name, e.Name)
				}
			}
		}
		client := map[string]bool{} // results that name it
		for _, name := range sortedKeys(events) {
			c := events[name]
			for i, what := range c.becomes {
				if reason := dropped[agent.Name+" "+name]; what == "nothing" && reason != "" {
					c.becomes[i] = "nothing: " + reason
				} else if what == "nothing" {
					t.Errorf("%s: %s becomes %s, and nothing says why", agent.Name, name, what)
				}
			}
			result := strings.Join(c.becomes, ", ")
			switch {
			case becoming[result] == "":
				results = append(results, result)
				becoming[result] = agent.Name + ": "
			case client[result]:
				becoming[result] += ", "
			default:
				becoming[result] += "; " + agent.Name + ": "
			}
			client[result] = true
			becoming[result] += fmt.Sprintf("%s %d", name, c.payloads)
		}
	}
	for _, result := range results {
		fmt.Fprintf(&table, "| %s | %s |\n", result, becoming[result])
	}
	const path = "../docs/evidence/events.md"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := bytes.Cut(old, []byte("| becomes"))
	compare(t, path, append(bytes.Clone(head), table.Bytes()...))
}

// cover adds what becomes of one payload.
func cover(t *testing.T, agent hooks.Agent, proj *project.Project, events map[string]*coverage, name string, payload []byte) {
	p, err := agent.Payload(eventOf(agent, name), payload, os.Getenv)
	if err != nil {
		t.Fatalf("%s %s: %v", agent.Name, name, err)
	}
	c := events[p.Event]
	if c == nil {
		c = &coverage{}
		events[p.Event] = c
	}
	c.payloads++
	if agent.Ignored(p) {
		c.add("nothing")
		return
	}
	plan, known := agent.Read(p, proj)
	switch {
	case !known:
		c.add("an entry of its own name")
	case len(plan.Drafts) == 0 && plan.Closer == nil:
		c.add("nothing")
	}
	for _, d := range plan.Drafts {
		c.add(string(d.Event))
	}
	if plan.Closer != nil {
		c.add("ends of open calls")
	}
}

// recorded are the recorded payloads of an agent's client, each with a name.
func recorded(t *testing.T, agent hooks.Agent) func(func(string, []byte) bool) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(agent.Name, "testdata", "sequences", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, ".events.jsonl") })
	more, err := filepath.Glob(filepath.Join(agent.Name, "testdata", "sequences", "*.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, []byte) bool) {
		for _, path := range append(append(names, more...), filepath.Join(agent.Name, "testdata", "payloads.tsv")) {
			data, err := os.ReadFile(path)
			if os.IsNotExist(err) {
				continue
			}
			for line := range bytes.Lines(data) {
				name, payload, tabbed := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
				if !tabbed {
					name, payload = gjson.Get(name, "hook_event_name").Str, name
				}
				if !gjson.Valid(payload) {
					continue
				}
				if !yield(name, []byte(payload)) {
					return
				}
			}
		}
	}
}

func sortedKeys(m map[string]*coverage) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
