package logfmt

import "testing"

// Of each event a task has one entry, and being seen is another one than being printed.
func TestTaskEntry(t *testing.T) {
	f := TaskFacts{Task: "t1", Type: "loop", Signature: "s", Confidence: 0.93, Evidence: []uint64{3, 14}, Level: "queue"}
	e := TaskEntry(Intervention, "a", f)
	if want := `{"task_id":"t1","type":"loop","signature":"s","confidence":0.93,"evidence":[3,14],"level":"queue"}`; string(e.Data) != want {
		t.Errorf("%s", e.Data)
	}
	if e.Cmd != SupervisorCmd || e.Source != "aburn" || e.Session != "a" || e.Event != Intervention {
		t.Errorf("%+v", e)
	}
	printed := TaskEntry(Delivered, "a", TaskFacts{Task: "t1", PromptID: "p"})
	seen := TaskEntry(Delivered, "a", TaskFacts{Task: "t1", Seen: true})
	again := TaskEntry(Delivered, "b", TaskFacts{Task: "t1"})
	if printed.ID == seen.ID || printed.ID != again.ID || printed.ID == e.ID || len(e.ID) != 16 {
		t.Errorf("ids %s %s %s %s", e.ID, printed.ID, seen.ID, again.ID)
	}
	if string(printed.Data)+string(seen.Data) != `{"task_id":"t1","prompt_id":"p"}{"task_id":"t1","seen":true}` {
		t.Errorf("%s %s", printed.Data, seen.Data)
	}
	if told := TaskEntry(Intervention, "a", TaskFacts{Signature: "s"}); told.ID != "" {
		t.Errorf("an alert has the id %s", told.ID)
	}
}
