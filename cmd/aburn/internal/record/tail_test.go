package record

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/internal/entries"
	"aburn/logfmt"
)

// play runs a drawn log through calls and returns what is shown. Each word is
// an event: sN and eN are start and end of call N, aN and zN those of a
// sub-agent's call with the same number, mN something else, a number of seconds
// passes as +N.
func play(t *testing.T, drawn string) string {
	t.Helper()
	var c calls
	var shown []string
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, word := range strings.Fields(drawn) {
		if word[0] == '+' {
			d, err := time.ParseDuration(word[1:] + "s")
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(d)
			for _, r := range c.overdue(now) {
				shown = append(shown, string(r.Data[len(`{"tool_use_id":"`)])+"…")
			}
			continue
		}
		r := drawnRecord(word, now)
		if c.forward(r, now) {
			shown = append(shown, word)
		}
	}
	return strings.Join(shown, " ")
}

func drawnRecord(word string, at time.Time) entries.Record {
	e := logfmt.Entry{Time: at, Cmd: "build", Event: logfmt.Milestone, Session: "s"}
	if word[0] != 'm' {
		e.Data = fmt.Appendf(nil, `{"tool_use_id":"%s"}`, word[1:])
		e.Event = map[byte]logfmt.Event{'s': logfmt.ToolStart, 'e': logfmt.Tool, 'a': logfmt.ToolStart, 'z': logfmt.ToolFailed}[word[0]]
	}
	if word[0] == 'a' || word[0] == 'z' {
		e.Agent = &logfmt.Agent{ID: "x"}
	}
	return entries.Record{Entry: e}
}

func TestStartsAreShownOnlyWhenOverdue(t *testing.T) {
	for _, c := range []struct{ drawn, want string }{
		{"s1 e1", "e1"},
		{"s1 m1 +1 e1", "m1 e1"},
		{"s1 +4 +1 +9 e1", "1… e1"},
		{"s1 s2 s3 +1 e2 +5", "e2 1… 3…"},
		{"s1 +4 s2 +1 +4", "1… 2…"},
		{"s1 a1 +1 z1 +5", "z1 1…"},
		{"e9 +9", "e9"},
		{"s1 e1 s1 +9", "e1 1…"},
	} {
		if got := play(t, c.drawn); got != c.want {
			t.Errorf("%s: got %q, want %q", c.drawn, got, c.want)
		}
	}
}

func TestBackwardKnowsWhatEndsLater(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	c := calls{ended: map[callKey]bool{}}
	var shown []string
	// Newest first: the end of 1, a start of a second ago, an old start, the start of 1.
	for _, r := range []entries.Record{
		drawnRecord("e1", now), drawnRecord("s2", now.Add(-time.Second)), drawnRecord("s3", now.Add(-time.Minute)),
		drawnRecord("s1", now.Add(-time.Hour)), drawnRecord("a1", now.Add(-time.Hour)),
	} {
		if c.backward(&r, now) {
			shown = append(shown, fmt.Sprintf("%s open=%v", r.Data, r.Open))
		}
	}
	want := `{"tool_use_id":"1"} open=false, {"tool_use_id":"3"} open=true, {"tool_use_id":"1"} open=true`
	if got := strings.Join(shown, ", "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if len(c.open) != 1 || string(c.open[0].Data) != `{"tool_use_id":"2"}` {
		t.Errorf("waiting: %v", c.open)
	}
}

// An issue is shown as resolved once, though the log has two entries about it, and again when it comes back.
func TestResolvedIsShownOnce(t *testing.T) {
	var shown []string
	print := (&resolutions{}).once(func(r entries.Record, _ time.Time) error {
		shown = append(shown, string(r.Event)+string(r.Data))
		return nil
	})
	entry := func(event logfmt.Event, signature string) {
		data := fmt.Appendf(nil, `{"signature":"%s"}`, signature)
		if err := print(entries.Record{Entry: logfmt.Entry{Event: event, Data: data}}, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	entry(logfmt.Intervention, "loop-1")
	entry(logfmt.Resolved, "loop-1")
	entry(logfmt.Resolved, "loop-1")
	entry(logfmt.Resolved, "stall-2")
	entry(logfmt.Intervention, "loop-1")
	entry(logfmt.Resolved, "loop-1")
	entry(logfmt.Milestone, "")
	entry(logfmt.Milestone, "")
	want := `INTERVENTION{"signature":"loop-1"} RESOLVED{"signature":"loop-1"} RESOLVED{"signature":"stall-2"} INTERVENTION{"signature":"loop-1"} ` +
		`RESOLVED{"signature":"loop-1"} MILESTONE{"signature":""} MILESTONE{"signature":""}`
	if got := strings.Join(shown, " "); got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
}
