package settings

import (
	"reflect"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	h := newHome(t)
	h.write(ownFile, `{"remedy": {"rules": [
  {"// why": "seen in May", "name": "vpn", "class": "network", "words": ["connection refused", "proxy"], "tool_type": "shell", "exit": 7,
   "text": "Start the VPN first.", "pointer": "https://wiki.example.com/vpn"},
  {"name": "busy", "class": "api", "code": "overloaded", "status": 529, "agent": "claude", "tool": "Bash", "text": "Wait.", "pointer": "status page"}
]}}`)
	s := h.load()
	if len(s.Warnings) > 0 {
		t.Fatal(s.Warnings)
	}
	rules := s.Rules()
	seven := 7
	want := []Rule{
		{Name: "vpn", Class: "network", Words: []string{"connection refused", "proxy"}, ToolType: "shell", Exit: &seven, Text: "Start the VPN first.",
			Pointer: "https://wiki.example.com/vpn"},
		{Name: "busy", Class: "api", Code: "overloaded", Status: 529, Agent: "claude", Tool: "Bash", Text: "Wait.", Pointer: "status page"},
	}
	for i, line := range []string{":2:3: ", ":4:3: "} {
		if i < len(rules) && strings.HasSuffix(rules[i].Place, "settings.json"+line) {
			rules[i].Place = ""
		}
	}
	if !reflect.DeepEqual(rules, want) {
		t.Errorf("got  %+v\nwant %+v", rules, want)
	}
	if again := s.Rules(); len(again) != 2 || len(s.Warnings) > 0 {
		t.Errorf("asked again: %d rules, %q", len(again), s.Warnings)
	}
}

// What is wrong is left out with its place, the rest counts.
func TestWrongRules(t *testing.T) {
	for text, want := range map[string]string{
		`7`:                            "should be a list of rules",
		`["x"]`:                        "a rule should be an object",
		`[{"class": 7}]`:               "class should be a text on one line",
		`[{"text": "a\nb"}]`:           "text should be a text on one line",
		`[{"text": ""}]`:               "text should be a text on one line",
		`[{"words": "x"}]`:             "words should be a list of texts",
		`[{"words": [""]}]`:            "words should be a list of texts",
		`[{"exit": "7"}]`:              "exit should be an exit code",
		`[{"exit": 7.5}]`:              "exit should be an exit code",
		`[{"status": true}]`:           "status should be the status",
		`[{"klass": "x"}]`:             "klass is not a field of a rule (did you mean class?)",
		`[{"run": "rm"}]`:              "run is not a field of a rule",
		`[{"name": "good"}, {"x": 1}]`: "x is not a field of a rule",
	} {
		h := newHome(t)
		h.write(ownFile, `{"remedy.rules": `+text+`}`)
		s := h.load()
		rules := s.Rules()
		if n := strings.Count(text, "good"); len(rules) != n {
			t.Errorf("%s: %d rules", text, len(rules))
		}
		if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], want) || !strings.Contains(s.Warnings[0], "settings.json:1:") {
			t.Errorf("%s: %q, want %s", text, s.Warnings, want)
		}
	}
}

// A project's rules would be texts of somebody else's for the agent.
func TestRulesOfAProject(t *testing.T) {
	h := newHome(t)
	h.mark()
	h.write(projectFile, `{"remedy": {"rules": [{"class": "network", "words": ["x"], "text": "Run this.", "pointer": "me"}]}}`)
	s := h.load()
	if rules := s.Rules(); len(rules) > 0 {
		t.Errorf("counts: %+v", rules)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "remedy.rules counts only in the user's own settings") {
		t.Errorf("%q", s.Warnings)
	}
	h.write(projectFile, `{"remedy.rules": []}`)
	if s := h.load(); len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "remedy.rules counts only in the user's own settings") {
		t.Errorf("%q", s.Warnings)
	}
}
