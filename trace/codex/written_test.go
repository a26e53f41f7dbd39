package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/codex"
)

// thread and other are ids of threads: thread was made after other.
const (
	thread = "01a1fd2b-05b3-7ca2-9381-8527f9b63cf2"
	other  = "01a1fd2a-05b3-7ca2-9381-8527f9b63cf2"
)

// written is a rollout that a test writes, a record a line.
type written struct {
	lines []string
}

// paginated begins a rollout with items; more is members of its session_meta.
func paginated(more string) *written {
	return new(written).rec("session_meta", `"session_id":"`+thread+`","id":"`+thread+
		`","timestamp":"2026-11-21T08:00:00.000Z","cwd":"/home/user/project","cli_version":"0.169.0","history_mode":"paginated"`+more)
}

// rec appends a record with these members as its payload, which can be on several lines.
func (w *written) rec(kind, payload string) *written {
	payload = strings.NewReplacer("\n", "", "\t", "").Replace(payload)
	w.lines = append(w.lines, fmt.Sprintf(`{"timestamp":"2026-11-21T08:00:%02d.000Z","ordinal":%d,"type":"%s","payload":{%s}}`, len(w.lines)%60, len(w.lines),
		kind, payload))
	return w
}

func (w *written) event(kind, more string) *written {
	return w.rec("event_msg", `"type":"`+kind+`"`+more)
}

// item appends an item of the thread.
func (w *written) item(item string) *written {
	return w.event("item_completed", `,"thread_id":"`+thread+`","turn_id":"t","item":{`+item+`}`)
}

// call appends a call and, if there is one, its output.
func (w *written) call(id, name, arguments, output string) *written {
	w.rec("response_item", fmt.Sprintf(`"type":"function_call","name":"%s","arguments":%q,"call_id":"%s"`, name, arguments, id))
	if output != "" {
		w.rec("response_item", fmt.Sprintf(`"type":"function_call_output","call_id":"%s","output":%q`, id, output))
	}
	return w
}

func (w *written) text() string { return strings.Join(w.lines, "\n") + "\n" }

const rolloutName = "sessions/2026/11/21/rollout-2026-11-21T08-00-00-" + thread + ".jsonl"

// readAll reads what w wrote.
func (w *written) readAll(t *testing.T) *tracetest.Sink {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, rolloutName, w.text())
	return tracetest.Read(t, codex.New(), dir)
}

// read reads what w wrote, which is one session.
func (w *written) read(t *testing.T) *trace.SessionTrace {
	t.Helper()
	s := w.readAll(t)
	for path, err := range s.Errors {
		t.Fatalf("read %s: %v", path, err)
	}
	if len(s.Damage) > 0 {
		t.Fatalf("damage: %+v", s.Damage)
	}
	got := s.Traces[thread]
	if got == nil {
		t.Fatalf("no session %s among %d", thread, len(s.Traces))
	}
	return got
}

// bodies is the bodies of one kind in a trace.
func bodies[B trace.Body](t *trace.SessionTrace) (found []B) {
	for i := range t.Events {
		if b, ok := t.Events[i].Body.(B); ok {
			found = append(found, b)
		}
	}
	return found
}
