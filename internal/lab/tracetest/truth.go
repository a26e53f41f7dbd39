package tracetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"aburn/trace"
)

// Truth compares what was read with what a person wrote into the file at path: a line per session, "ID key=value …",
// where keys are the JSON names of trace.Counts and outcome, input, cache_read, cache_write, output, reasoning,
// relation, related, results, damaged. Lines with # are remarks. Sessions and lines must match one to one.
func Truth(t testing.TB, s *Sink, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for n, line := range strings.Split(string(data), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		id := fields[0]
		if seen[id] {
			t.Errorf("%s:%d: %s has a line already", path, n+1, id)
		}
		seen[id] = true
		if len(fields) == 1 {
			t.Errorf("%s:%d: it says nothing about %s", path, n+1, id)
		}
		session, ok := s.Traces[id]
		if !ok {
			t.Errorf("%s:%d: there is no session %s; there are %s", path, n+1, id,
				strings.Join(slices.Sorted(maps.Keys(s.Traces)), ", "))
			continue
		}
		have := facts(session)
		for _, field := range fields[1:] {
			key, want, _ := strings.Cut(field, "=")
			if got, ok := have[key]; !ok {
				t.Errorf("%s:%d: there is no %s", path, n+1, key)
			} else if got != want {
				t.Errorf("%s:%d: %s: %s is %s, not %s", path, n+1, id, key, got, want)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Traces)) {
		if !seen[id] {
			t.Errorf("%s has no line for session %s", path, id)
		}
	}
}

// facts returns what a truth can say about a trace.
func facts(s *trace.SessionTrace) map[string]string {
	f := map[string]string{}
	var counts map[string]int
	data, err := json.Marshal(s.Count())
	if err == nil {
		err = json.Unmarshal(data, &counts)
	}
	if err != nil {
		panic(err) // a struct of ints
	}
	for k, v := range counts {
		f[k] = fmt.Sprint(v)
	}
	u := s.Usage
	for k, v := range map[string]int64{"input": u.Input, "cache_read": u.CacheRead, "cache_write": u.CacheWrite,
		"output":    u.Output,
		"reasoning": u.Reasoning, "results": int64(len(s.Results)), "damaged": int64(len(s.Damaged))} {
		f[k] = fmt.Sprint(v)
	}
	f["outcome"] = string(s.Outcome)
	f["relation"], f["related"] = "", ""
	if len(s.Relationships) > 0 {
		f["relation"], f["related"] = string(s.Relationships[0].Kind), s.Relationships[0].Related
	}
	return f
}
