//go:build agents

package realagents

import (
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
)

// again is n turns of the model that make the same call.
func again(call model.Call, n int) (turns []model.Turn) {
	for range n {
		turns = append(turns, model.Calls(call))
	}
	return turns
}

// TestAdviceInTurn: a model that loops is told so in a request of the same turn, after the sixth call, once, whether the calls succeed or
// fail; a healthy session beside it is told nothing. When it does something else, the log says that this was in the same turn.
func TestAdviceInTurn(t *testing.T) {
	for _, agent := range advisers() {
		for name, loop := range map[string]string{"succeeds": "touch again.tmp", "fails": "touch again.tmp; exit 3"} {
			t.Run(agent.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				turns := append(again(agent.call(loop), 8), model.Calls(agent.call("cp again.tmp other.tmp")), model.Text("it works"))
				healthy := []model.Turn{model.Calls(agent.call("touch one.tmp")), model.Calls(agent.call("touch two.tmp")), model.Calls(agent.call("exit 1")),
					model.Text("b is done")}
				w := advised(t, "hooked", conversations(turns, healthy), `, "deliver": {"in_turn": ["loop", "tool_failure_run"]}`)
				agent.first(w, sessionA).wait()
				agent.first(w, sessionB).wait()
				if got := w.advice("a"); got != ". . . . . . |. |. |. |." {
					t.Errorf("session A was told %s", got)
				}
				if got := w.advice("b"); got != ". . . ." {
					t.Errorf("session B was told %s", got)
				}
				stories := []string{"INTERVENTION DELIVERED seen RESOLVED", "INTERVENTION DELIVERED RESOLVED seen"}
				if agent.name == "copilot" {
					stories = append(stories, "INTERVENTION DELIVERED RESOLVED") // it writes its events when it has time
				}
				if got := w.story(); !slices.Contains(stories, got) {
					t.Errorf("the log says %s", got)
				}
				if got := w.aburn("supervisor", "report"); !strings.Contains(strings.Join(strings.Fields(got), " "),
					"1 of those delivered inside of a turn, and of these 1 resolved before that turn was over") {
					t.Errorf("the report says %s", got)
				}
			})
		}
	}
}

// TestAdviceInTurnOff: without the user's word a model that loops is told nothing while it does.
func TestAdviceInTurnOff(t *testing.T) {
	for _, agent := range advisers() {
		t.Run(agent.name, func(t *testing.T) {
			t.Parallel()
			w := advised(t, "hooked", conversations(append(again(agent.call("touch again.tmp"), 8), model.Text("done")), nil), "")
			agent.first(w, sessionA).wait()
			if got := w.advice("a"); strings.Contains(got, "|") || got == "" {
				t.Errorf("told %s", got)
			}
		})
	}
}

// TestAdviceAtLastStop: after the turn of a print mode no prompt comes, so its end tells what is not critical, too, and the turn that
// goes on because of it ends.
func TestAdviceAtLastStop(t *testing.T) {
	for _, agent := range advisers() {
		if agent.name == "copilot" {
			continue // which tells its hooks nothing of a print mode
		}
		t.Run(agent.name, func(t *testing.T) {
			t.Parallel()
			turns := append(again(agent.call("touch again.tmp"), 6), model.Text("done"), model.Text("I read it"), model.Text("unasked"))
			w := advised(t, "hooked", conversations(turns, nil), `, "deliver": {"at_stop": true}`)
			agent.first(w, sessionA).wait()
			if got := w.advice("a"); got != ". . . . . . . |." {
				t.Errorf("told %s", got)
			}
		})
	}
}
