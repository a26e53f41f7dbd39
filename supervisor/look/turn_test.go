package look

import (
	"context"
	"slices"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/logfmt"
	"aburn/supervisor/limits"
)

// inTurn looks as the hook of a session's tool call does.
func (w *world) inTurn() Result {
	w.t.Helper()
	o := w.options(journal.Hook)
	o.Session, o.InTurn = "A", true
	r, err := New(o).Once(context.Background(), w.now, time.Time{})
	if err != nil || len(r.Warnings) > 0 {
		w.t.Fatalf("look: %+v, %v", r, err)
	}
	return r
}

// Certain names one task of each type, if its issue is certain, stands now, is the session's own and of a wanted type.
func TestCertain(t *testing.T) {
	all := limits.InTurn()
	for name, c := range map[string]struct {
		drawing string
		types   []string
		certain int
	}{
		"five times":            {`@A PROMPT'x' { Bash'make' }*5`, all, 0},
		"six times":             {`@A PROMPT'x' { Bash'make' }*6`, all, 1},
		"another type":          {`@A PROMPT'x' { Bash'make' }*6`, []string{limits.EditChurn}, 0},
		"no type":               {`@A PROMPT'x' { Bash'make' }*6`, nil, 0},
		"a sub-agent's":         {`@A PROMPT'x' (tester& { tester~Bash'make' }*8`, all, 0},
		"another session's":     {`@B PROMPT'x' { Bash'make' }*6 @A PROMPT'y' Bash'ls'`, all, 0},
		"a failed command":      {`@A PROMPT'x' build> build!'no'`, all, 0},
		"it does something new": {`@A PROMPT'x' { Bash'make' }*6 Bash'cc x.c'`, all, 0},
	} {
		w := newWorld(t)
		w.draw(c.drawing)
		r := w.inTurn()
		certain := r.Certain("A", c.types)
		if len(certain) != c.certain || c.certain > 0 && (len(r.Queued) != 1 || certain[0] != r.Queued[0].Task) {
			t.Errorf("%s: certain %q of %s", name, certain, r.signatures())
		}
		if certain == nil && name == "five times" && len(r.Queued) > 0 {
			t.Errorf("%s: queued %+v before the turn's end", name, r.Queued)
		}
		if r := w.inTurn(); len(r.Certain("A", c.types)) != c.certain {
			t.Errorf("%s: the next look is certain of %q", name, r.Certain("A", c.types))
		}
	}
}

// A task that another process put while this one judged is found, and what was told in this turn is told no more.
func TestCertainOnce(t *testing.T) {
	w := newWorld(t)
	w.draw(`@A PROMPT'x' { Bash'make' }*6`)
	task := w.once().Queued[0].Task
	if got := w.inTurn(); !slices.Equal(got.Certain("A", limits.InTurn()), []string{task}) {
		t.Errorf("certain %q, not %s", got.Certain("A", limits.InTurn()), task)
	}
	delivered := logfmt.TaskEntry(logfmt.Delivered, "A", logfmt.TaskFacts{Task: task, Type: limits.Loop, InTurn: true})
	delivered.Time = w.now
	w.append(delivered)
	w.now = w.now.Add(time.Second)
	if got := w.inTurn(); len(got.Certain("A", limits.InTurn())) > 0 {
		t.Errorf("certain %q of what was told", got.Certain("A", limits.InTurn()))
	}
	w.draw(`@A { Bash'cc' }*6`)
	if got := w.inTurn(); len(got.Issues) == 0 || len(got.Certain("A", limits.InTurn())) > 0 {
		t.Errorf("certain %q in a turn that was told a loop", got.Certain("A", limits.InTurn()))
	}
	w.draw(`@A STOP PROMPT'y' { Bash'ld' }*6`)
	if got := w.inTurn(); len(got.Certain("A", limits.InTurn())) != 1 {
		t.Errorf("certain %q in the next turn", got.Certain("A", limits.InTurn()))
	}
}
