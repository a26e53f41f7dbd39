package join_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/copilot"
	"aburn/trace/join"
	"aburn/trace/own"
	"aburn/trace/qwen"
)

var update = flag.Bool("update", false, "write the reports")

// Sessions of the real agents, as their own files have them and as their hooks recorded them at the same time, agree call by
// call. Every difference stands in the report beside them; a new one has to be understood before it may stand there.
//
// The pairs are homes of internal/lab/realagents' scenarios of those names (ABURN_AGENTS_KEEP), recorded on 21 November 2026 with
// Claude Code 2.1.329 and Codex 0.169.0. Paths were made neutral, and then the hashes of inputs that held one and the crc of
// the entries worked out anew; the clients' own long texts were cut. The pairs of Qwen Code 0.24.4 and the Copilot CLI 1.0.102 were
// recorded on the next two days, where paths are
// neutral: nothing in the logs was changed. Of the Copilot CLI's files the records of hooks, which the reader leaves out, were cut.
func TestPairs(t *testing.T) {
	pairs, err := filepath.Glob("testdata/pairs/*/log")
	if err != nil || len(pairs) < 20 {
		t.Fatal(pairs, err)
	}
	for _, log := range pairs {
		dir := filepath.Dir(log)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var reader trace.Reader = claude.New()
			switch name := filepath.Base(dir); {
			case strings.HasPrefix(name, "codex"):
				reader = codex.New()
			case strings.HasPrefix(name, "copilot"):
				reader = copilot.New()
			case strings.HasPrefix(name, "qwen"):
				reader = qwen.New()
			}
			store, hooks := tracetest.Read(t, reader, filepath.Join(dir, "store")), tracetest.Read(t, own.New(), log)
			for _, s := range []*tracetest.Sink{store, hooks} {
				for path, err := range s.Errors {
					t.Errorf("%s: %v", path, err)
				}
			}
			got := report(t, store, hooks)
			path := dir + ".report"
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s (-update writes it) is not\n%s", path, got)
			}
		})
	}
}

// report joins every session that both have.
func report(t *testing.T, store, hooks *tracetest.Sink) []byte {
	t.Helper()
	trace.Link(store.Ordered())
	var out bytes.Buffer
	for _, o := range hooks.Ordered() {
		s := store.Traces[o.ID]
		if s == nil {
			fmt.Fprintf(&out, "%s is only in the workflow log: %d calls\n", o.ID, o.Count().Calls)
			continue
		}
		var subs []*trace.SessionTrace
		for _, sub := range store.Ordered() {
			if r := sub.Relationships[0]; r.Kind == trace.Subagent && r.Related == s.ID {
				subs = append(subs, sub)
			}
		}
		joined, differences, err := join.Join(s, o, subs...)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s: %s\n", o.ID, agreement(s, o, joined, differences))
		for _, d := range differences {
			fmt.Fprintln(&out, "  ", d)
		}
		keeps(t, s, o, joined, subs)
	}
	for _, s := range store.Ordered() {
		if hooks.Traces[s.ID] == nil {
			fmt.Fprintf(&out, "%s is only in the store: %d calls\n", s.ID, s.Count().Calls)
		}
	}
	return out.Bytes()
}

// agreement counts the calls of a session, those that both have, and what is known only together.
func agreement(s, o, joined *trace.SessionTrace, differences []join.Difference) string {
	one := 0
	for _, d := range differences {
		if d.Event == trace.KindToolCall && (d.Kind == join.OnlyStore || d.Kind == join.OnlyHooks) {
			one++
		}
	}
	added, filled := 0, 0
	for _, e := range joined.Events {
		switch {
		case strings.HasPrefix(e.Inferred, "workflow log"):
			added++
		case strings.HasSuffix(e.Inferred, ": workflow log"):
			filled++
		}
	}
	return fmt.Sprintf("%d calls in the store, %d in the workflow log, %d in one of them only; %d events added, %d results filled in",
		s.Count().Calls, o.Count().Calls, one, added, filled)
}

// keeps checks that the joined trace has everything that the store has, in its order, and that it or the trace of a sub-agent
// has every call that the hooks have, with the exit code that they know.
func keeps(t *testing.T, s, o, joined *trace.SessionTrace, subs []*trace.SessionTrace) {
	t.Helper()
	k := 0
	for i := range joined.Events {
		e := &joined.Events[i]
		if k < len(s.Events) && e.Ref == s.Events[k].Ref && e.Body.Kind() == s.Events[k].Body.Kind() && !strings.HasPrefix(e.Inferred, "workflow log") {
			k++
		}
	}
	if k != len(s.Events) {
		t.Errorf("%s: of the store's %d events %d are in the joined trace", s.ID, len(s.Events), k)
	}
	if s.Usage != joined.Usage || s.Count().Responses != joined.Count().Responses {
		t.Errorf("%s: tokens %+v, joined %+v", s.ID, s.Usage, joined.Usage)
	}
	codes := map[string]*int{}
	for _, tr := range append(subs, joined) {
		for _, c := range tr.Calls() {
			var code *int
			if c.Last() != nil {
				code = c.Last().ExitCode
			}
			codes[c.Call.Call], codes[input(c)] = code, code
		}
	}
	for _, c := range o.Calls() {
		code, there := codes[c.Call.Call]
		if !there {
			code, there = codes[input(c)]
		}
		if !there {
			t.Errorf("%s: the call %s is not in the joined trace", s.ID, c.Call.Call)
		}
		if last := c.Last(); last != nil && last.ExitCode != nil && code == nil {
			t.Errorf("%s: the exit code of %s got lost", s.ID, c.Call.Call)
		}
	}
}

// input names a call for clients whose hooks do not know its id. No two calls of a pair have one input and different ends.
func input(c trace.Call) string { return string(c.Call.Type) + " " + c.Call.Key }
