package archive

import (
	"context"
	"reflect"
	"testing"

	"aburn/internal/lab/world"
	"aburn/trace"
)

// Whichever of the two comes first, a sub-agent gets the call that started it as Link would tell it.
func TestAdopted(t *testing.T) {
	world.Unshared(t)
	family := func() []*trace.SessionTrace {
		parent := story(t, "codex", "p", 1, "ask call spawn:c")
		for _, e := range parent.Events {
			if s, ok := e.Body.(*trace.SubagentSpawn); ok {
				s.Call, s.AgentType, s.Description = "call-1", "explorer", "look around"
			}
		}
		child := subagent(story(t, "codex", "c", 2, "ask"), "p", "")
		child.Relationships[0].ParentCall = ""
		return []*trace.SessionTrace{parent, child}
	}
	want := family()
	trace.Link(want)
	if want[1].Relationships[0].ParentCall != "call-1" {
		t.Fatalf("linked: %+v", want[1].Relationships)
	}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		a := create(t)
		for _, i := range order {
			a.store(t, family()[i])
		}
		for i, id := range []string{"p", "c"} {
			got, err := a.Previous(context.Background(), "codex", id)
			if err != nil || !reflect.DeepEqual(got.Relationships, want[i].Relationships) {
				t.Errorf("%v: %s: %+v, %v; want %+v", order, id, got.Relationships, err, want[i].Relationships)
			}
		}
		if n, err := a.number("SELECT count(*) FROM unlinked"); err != nil || n != 0 {
			t.Errorf("%v: %d groups are still to be linked, %v", order, n, err)
		}
	}
}

// A session that was linked goes on with a result that does not name the sub-agent: it is linked again.
func TestLinkOfALaterResult(t *testing.T) {
	a := create(t)
	parent := func(words string) *trace.SessionTrace {
		tr := story(t, "claude", "a", 1, words)
		for _, e := range tr.Events {
			if s, ok := e.Body.(*trace.SubagentSpawn); ok {
				s.Call = "call-1"
			}
		}
		return tr
	}
	for i, words := range []string{"ask call spawn:a/x", "ask call fail spawn:a/x"} {
		a.store(t, parent(words))
		if i == 0 {
			a.store(t, subagent(story(t, "claude", "a/x", 2, "ask"), "a", "x"))
		}
		if _, err := a.Link(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := a.Lookup(context.Background(), "claude/a")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	tr, err := a.Trace(context.Background(), list[0].Key)
	if err != nil || len(tr.Results) != 1 || tr.Results[0].Spawned != "a/x" {
		t.Errorf("%+v, %v", tr.Results, err)
	}
}
