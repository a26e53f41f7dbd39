package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/lab/synth/home"
	"aburn/internal/lab/world"
	"aburn/trace"
)

// briefed is what a test reads of `aburn handoff --json`.
type briefed struct {
	Sections []struct {
		Name       string
		Left       int
		Statements []struct {
			Text, From string
			Event      int
		}
	}
}

// TestHandoffIsTrue makes the briefing of each session of a generated home, and of the captured ones, and holds each fact against the line
// of the agent's own file that its event names: the record has to have the words that the briefing quotes. ABURN_STORM=10 reads 200 sessions.
func TestHandoffIsTrue(t *testing.T) {
	world.Slow(t)
	dir := t.TempDir()
	if _, err := home.Make(dir, home.Options{Size: int64(world.Storm(1)) * 4 << 20, Brief: true, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	facts := 0
	for _, x := range []*exported{{t, filepath.Join(dir, "home")}, newExported(t)} {
		if _, errs, code := x.run("ingest", "--quiet"); code != 0 {
			t.Fatal(errs)
		}
		out, _, _ := x.run("sessions", "--json", "--no-ingest", "--limit", "0", "--subagents")
		var all struct {
			Sessions []struct{ Source, Session string }
		}
		if err := json.Unmarshal([]byte(out), &all); err != nil {
			t.Fatal(err)
		}
		for _, s := range all.Sessions {
			facts += x.holdsBriefing(s.Source + "/" + s.Session)
		}
		t.Logf("%d sessions", len(all.Sessions))
	}
	t.Logf("%d facts", facts)
	if facts < 300 {
		t.Error("too few")
	}
}

var quotedWord = regexp.MustCompile(`[A-Za-z0-9]{4,}`)

func (x *exported) holdsBriefing(name string) (facts int) {
	x.Helper()
	out, errs, code := x.run("handoff", name, "--json", "--no-ingest")
	var b briefed
	if err := json.Unmarshal([]byte(out), &b); err != nil || code != 0 {
		x.Fatalf("%s: exit %d, %v, %s", name, code, err, errs)
	}
	out, _, _ = x.run("show", name, "--json", "--no-ingest")
	var t trace.SessionTrace
	if err := json.Unmarshal([]byte(out), &t); err != nil {
		x.Fatal(err)
	}
	prompts := 0
	for _, s := range b.Sections {
		if s.Name == "asked" {
			prompts = len(s.Statements) + s.Left
		}
		for _, f := range s.Statements {
			if f.Event == 0 {
				continue
			}
			facts++
			if f.Event > len(t.Events) {
				x.Errorf("%s: %s cites event %d of %d", name, s.Name, f.Event, len(t.Events))
				continue
			}
			words := quotedWord.FindAllString(quoted(s.Name, f.Text), -1)
			raw := recordOf(&t, f.Event)
			for _, w := range words[:min(len(words), 3)] {
				if raw != "" && !strings.Contains(raw, w) {
					x.Errorf("%s: %s says %q, and event %d is %.300s", name, s.Name, f.Text, f.Event, raw)
					break
				}
			}
		}
	}
	var bodies struct {
		Events []struct {
			Kind, Machine, By, Copied string
			Abandoned                 bool
		}
	}
	if err := json.Unmarshal([]byte(out), &bodies); err != nil {
		x.Fatal(err)
	}
	told := 0
	for _, e := range bodies.Events {
		if e.Kind == trace.KindUserMessage && e.Machine+e.By+e.Copied == "" && !e.Abandoned {
			told++
		}
	}
	if told != prompts {
		x.Errorf("%s: %d prompts, the briefing has %d", name, told, prompts)
	}
	return facts
}

// quoted is the part of a fact that is in the record: a text's first line, else what stands between the first two backquotes.
func quoted(section, text string) string {
	if section != "asked" && section != "last_words" {
		_, text, _ = strings.Cut(text, "`")
		text, _, _ = strings.Cut(text, "`")
	}
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "[redacted") // the record has the secret
	return strings.TrimSuffix(text, "…")
}

// recordOf is the line of a file that an event is from; "" if it is no line.
func recordOf(t *trace.SessionTrace, event int) string {
	ref := t.Events[event-1].Ref
	if ref.Line == 0 || ref.File >= len(t.Sources) {
		return ""
	}
	f, err := os.Open(t.Sources[ref.File].Path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Seek(ref.Offset, 0); err != nil {
		return ""
	}
	line, _ := bufio.NewReader(f).ReadString('\n')
	return line
}
