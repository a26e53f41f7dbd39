//go:build agents

package realagents

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/instrument/prompt"
	"aburn/instrument/provider"
	"aburn/instrument/scan"
	"aburn/internal/lab/testkit/model"
)

// TestInstrumentAsks both clients for a plan: what the model does is an answer within the grammar or an error that says
// what happened, and no tool of theirs does anything.
func TestInstrumentAsks(t *testing.T) {
	file := &scan.File{Path: "src/a.js", Type: "module", Functions: []scan.Function{{ID: "f1", Name: "place", Verdict: scan.Candidate, Tier: 1, Reason: "r"}}}
	const good = `{"functions":[{"id":"f1","action":"span","span":"shop.order.place","tier":1,"reason":"r","attributes":[]}],"newSpans":[],"newAttributes":[],` +
		`"libraries":[],"notes":[]}`
	wrong := strings.Replace(good, `"action":"span"`, `"action":"wrap"`, 1)
	hostile := strings.Replace(good, "shop.order.place", "a'); process.exit((", 1)
	touch := []model.Call{{Name: "Bash", Input: map[string]any{"command": "touch $PROJECT/harm"}},
		{Name: "exec_command", Input: map[string]any{"cmd": "touch $PROJECT/harm"}}}
	answer := func(client, text string) model.Turn {
		if client == "claude" {
			return model.Calls(model.Call{Name: "StructuredOutput", Input: text})
		}
		return model.Text(text)
	}
	is := func(want error) func(*testing.T, error) {
		return func(t *testing.T, err error) {
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	rated := func(t *testing.T, err error) {
		var rate *provider.RateError
		if !errors.As(err, &rate) {
			t.Error(err)
		}
	}
	for _, client := range []string{"claude", "codex"} {
		for _, tt := range []struct {
			name  string
			turns []model.Turn
			want  func(*testing.T, error)
			facts string // of what was answered, where that has the form
			spans int
		}{
			{"good", []model.Turn{answer(client, good)}, is(nil), "", 1},
			{"hostile", []model.Turn{answer(client, hostile)}, is(nil), "is no name of the form", 0},
			{"wrong", []model.Turn{answer(client, wrong)}, nil, `the action is "wrap"`, 0},
			{"busy", []model.Turn{{Failure: &model.Failure{Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "slow down"}}}, rated, "", 0},
			{"refused", []model.Turn{{Text: "I will not.", Stop: "refusal"}}, nil, "", 0},
			{"truncated", []model.Turn{{Text: `{"functions":[`, Stop: "max_tokens"}}, nil, "", 0},
			{"endless", []model.Turn{{Calls: touch}}, is(provider.ErrSchema), "", 0},
		} {
			t.Run(client+"/"+tt.name, func(t *testing.T) {
				w := newWorld(t, "w", model.Script{{Name: "plan", Turns: tt.turns, Repeat: true}}, nil)
				w.codexConfig("read-only")
				t.Setenv("PATH", filepath.Join(w.home, "bin")+":"+os.Getenv("PATH"))
				p, err := provider.Find(client, w.env())
				if err != nil || p.Ready(t.Context()) != nil {
					t.Fatal(err, p.Ready(t.Context()))
				}
				request := prompt.NewContract(nil, "shop", nil).Request(prompt.Question{File: file, Source: []byte("export async function place() {}\n")})
				request.Effort = "low"
				got, err := p.Complete(t.Context(), request)
				asked := len(w.model.Asked())
				t.Logf("%d requests, %+v, %v", asked, got.Usage, err)
				switch {
				case tt.want != nil:
					tt.want(t, err)
				case err == nil && tt.facts == "":
					t.Errorf("%s is an answer", got.JSON)
				case err != nil && !errors.Is(err, provider.ErrSchema) && !errors.Is(err, provider.ErrRefused) && !errors.Is(err, provider.ErrTruncated):
					t.Error(err)
				}
				if asked > 12 {
					t.Errorf("%d requests", asked)
				}
				if err == nil {
					plan, facts, err := prompt.Read(got.JSON, file)
					if err != nil || len(plan.Functions) != tt.spans || !strings.Contains(strings.Join(facts, "\n"), tt.facts) || got.Usage.Total() == 0 {
						t.Errorf("%+v %q %v, %+v", plan, facts, err, got.Usage)
					}
				}
				if _, err := os.Stat(filepath.Join(w.project, "harm")); err == nil {
					t.Error("a tool ran")
				}
				body := string(w.model.Asked()[0].Body)
				if !strings.Contains(body, "You plan OpenTelemetry spans") || strings.Contains(body, w.project) {
					t.Error("the question lacks what stands first, or tells where the project is")
				}
			})
		}
	}
}

// TestInstrumentAsksForAWholeFile, and once more in a dialogue: both clients take the question, and give the file.
func TestInstrumentAsksForAWholeFile(t *testing.T) {
	file := &scan.File{Path: "src/a.js", Type: "module", Functions: []scan.Function{{ID: "f1", Name: "place", Verdict: scan.Candidate, Tier: 1, Reason: "r"}}}
	const good = `{"code":"export async function place() {}\n// \u00e4 \"quoted\"\n","newSpans":[],"newAttributes":[],"libraries":[],"notes":[]}`
	for _, client := range []string{"claude", "codex"} {
		t.Run(client, func(t *testing.T) {
			turn := model.Text(good)
			if client == "claude" {
				turn = model.Calls(model.Call{Name: "StructuredOutput", Input: good})
			}
			w := newWorld(t, "w", model.Script{{Name: "rewrite", Turns: []model.Turn{turn}, Repeat: true}}, nil)
			w.codexConfig("read-only")
			t.Setenv("PATH", filepath.Join(w.home, "bin")+":"+os.Getenv("PATH"))
			p, err := provider.Find(client, w.env())
			if err != nil {
				t.Fatal(err)
			}
			q := prompt.Question{File: file, Source: []byte("export async function place() {}\n// \u00e4 \"quoted\"\n")}
			for _, q.Before = range []json.RawMessage{nil, json.RawMessage(good)} {
				q.Facts = []string{"line 1: NDS-003: something else changed"}
				request := prompt.NewRewriting(nil, "shop", "shop", nil).Request(q)
				request.Effort = "low"
				got, err := p.Complete(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				answer, facts, err := prompt.ReadRewritten(got.JSON, file)
				if err != nil || len(facts) > 0 || answer.Code != string(q.Source) || got.Usage.Total() == 0 {
					t.Errorf("%+v %q %v, %+v", answer, facts, err, got.Usage)
				}
			}
			asked := w.model.Asked()
			if last := string(asked[len(asked)-1].Body); !strings.Contains(last, "You answered:") || !strings.Contains(last, "NDS-003: something else changed") ||
				!strings.Contains(last, "You put OpenTelemetry spans into JavaScript") {
				t.Errorf("the last question:\n%s", last)
			}
		})
	}
}
