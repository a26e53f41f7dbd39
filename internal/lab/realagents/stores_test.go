//go:build agents

package realagents

import (
	"encoding/json"
	"slices"
)

// contradictions are the kinds of differences in which the agent's store and the hooks' log cannot both be right. In the
// others one of them knows more, or another order.
var contradictions = []string{"status", "exit_code", "denied", "tool", "spawned", "prompt"}

// storesAgree reads what the agents have written to disk and holds it to what the hooks recorded of the same sessions.
func (w *world) storesAgree() {
	w.Helper()
	var read struct {
		Sources []struct {
			Source     string
			Skipped    []struct{ Path, Text string }
			DamagedAll int `json:"damaged_all"`
		}
	}
	w.says(&read, "ingest", "--json")
	for _, s := range read.Sources {
		if len(s.Skipped) > 0 || s.DamagedAll > 0 {
			w.Errorf("%s: skipped %v, %d damaged", s.Source, s.Skipped, s.DamagedAll)
		}
	}
	var list struct {
		Sessions []struct {
			Source, Session string
			Recorded        bool
		}
	}
	w.says(&list, "sessions", "--subagents", "--json")
	recorded := 0
	for _, s := range list.Sessions {
		if !s.Recorded {
			continue
		}
		recorded++
		var r struct {
			Differences []struct{ Kind, Event, Call, Store, Hooks string }
		}
		w.says(&r, "show", s.Source+"/"+s.Session, "--differences", "--json")
		for _, d := range r.Differences {
			if slices.Contains(contradictions, d.Kind) {
				w.Errorf("%s/%s: %s %s: %s is %q in the store and %q in the log", s.Source, s.Session, d.Event, d.Call, d.Kind, d.Store, d.Hooks)
			}
		}
	}
	if recorded == 0 {
		w.Errorf("hooks recorded none of the sessions in the stores: %v", list.Sessions)
	}
}

// says reads what a command of aburn prints as JSON.
func (w *world) says(into any, args ...string) {
	w.Helper()
	out := w.aburn(args...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		w.Fatalf("aburn %v: %v\n%s", args, err, out)
	}
}
