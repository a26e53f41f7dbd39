package claude

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/trace"
)

type memSink struct {
	mu     sync.Mutex
	traces map[string]*trace.SessionTrace
	bytes  int64
	damage []trace.Damage
}

func (s *memSink) Previous(string) (*trace.SessionTrace, error) { return nil, nil }
func (s *memSink) Trace(t *trace.SessionTrace) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.traces[t.ID] != nil {
		return fmt.Errorf("twice %s", t.ID)
	}
	s.traces[t.ID] = t
	return nil
}
func (s *memSink) Damaged(d trace.Damage)  { s.mu.Lock(); s.damage = append(s.damage, d); s.mu.Unlock() }
func (s *memSink) Progress(n int64)        { s.mu.Lock(); s.bytes += n; s.mu.Unlock() }
func (s *memSink) Done(trace.Cursor, bool) {}

func TestSyn(t *testing.T) {
	dir := os.Getenv("ABURN_SYN")
	if dir == "" {
		t.Skip()
	}
	s := &memSink{traces: map[string]*trace.SessionTrace{}}
	r := New()
	start := time.Now()
	var stores []trace.Store
	r.Find(context.Background(), trace.Places{Home: filepath.Join(dir, "home"), Getenv: func(string) string { return "" }}, func(st trace.Store) error { stores = append(stores, st); return nil })
	t.Log("find", len(stores), time.Since(start))
	start = time.Now()
	ch := make(chan trace.Store)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for st := range ch {
				if err := r.Read(context.Background(), st, s); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for _, st := range stores {
		ch <- st
	}
	close(ch)
	wg.Wait()
	t.Log("read", s.bytes, time.Since(start), "damage", len(s.damage))
	start = time.Now()
	var fam []*trace.SessionTrace
	for _, x := range s.traces {
		fam = append(fam, x)
	}
	changed := trace.Link(fam)
	t.Log("link", len(changed), time.Since(start))
	if again := trace.Link(fam); len(again) > 0 {
		t.Error("again", len(again))
	}
	f, _ := os.Open(filepath.Join(dir, "truth-sessions.jsonl"))
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	seen := 0
	var total trace.Counts
	var usage trace.Usage
	tools := map[string]int{}
	failed := map[string]int{}
	outcomes := map[trace.Outcome]int{}
	for sc.Scan() {
		var x struct {
			Agent, Kind, ID, Session, Of, Outcome string
			ToolUse                               string `json:"tool_use_id"`
			Parent                                string `json:"parent_agent"`
			Prompts, Calls, Failed                int
			Usage                                 map[string]int64
		}
		if err := json.Unmarshal(sc.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if x.Agent != "claude" {
			continue
		}
		seen++
		id := x.ID
		if x.Kind == "subagent" {
			id = x.Session + "/" + x.ID
		}
		tr := s.traces[id]
		if tr == nil {
			t.Errorf("no %s", id)
			continue
		}
		if err := tr.Validate(); err != nil {
			t.Error(err)
		}
		c := tr.Count()
		total.Add(c)
		usage.Add(tr.Usage)
		bad := func(what string, got, want any) {
			if got != want {
				t.Errorf("%s %s: %s %v, want %v", x.Kind, id, what, got, want)
			}
		}
		bad("prompts", c.Prompts, x.Prompts)
		bad("calls", c.Calls, x.Calls)
		bad("failed", c.Failed, x.Failed)
		bad("in", tr.Usage.Input, x.Usage["input_tokens"])
		bad("out", tr.Usage.Output, x.Usage["output_tokens"])
		bad("cr", tr.Usage.CacheRead, x.Usage["cache_read_input_tokens"])
		bad("cw", tr.Usage.CacheWrite, x.Usage["cache_creation_input_tokens"])
		rel := tr.Relationships[0]
		switch x.Kind {
		case "subagent":
			bad("kind", rel.Kind, trace.Subagent)
			bad("call", rel.ParentCall, x.ToolUse)
			want := x.Session
			if x.Parent != "" {
				want += "/" + x.Parent
			}
			bad("related", rel.Related, want)
			p := s.traces[want]
			found := 0
			for i := range p.Events {
				if sp, ok := p.Events[i].Body.(*trace.SubagentSpawn); ok && sp.Call == x.ToolUse && sp.Session == id {
					found++
				}
			}
			bad("spawn", found, 1)
		case "fork":
			bad("kind", rel.Kind, trace.Fork)
			bad("related", rel.Related, x.Of)
		default:
			bad("kind", rel.Kind, trace.Root)
		}
		if x.Kind != "subagent" {
			out := map[string]trace.Outcome{"completed": trace.Completed, "killed": trace.Killed, "interrupted": trace.Interrupted, "api_error": trace.Errored}[x.Outcome]
			bad("outcome", tr.Outcome, out)
			outcomes[tr.Outcome]++
		} else {
			bad("outcome", tr.Outcome, trace.Completed)
		}
		for _, call := range tr.Calls() {
			if call.Counts() {
				tools[call.Call.Tool]++
				if l := call.Last(); l != nil && l.Failed() {
					failed[call.Call.Tool]++
				}
			}
		}
	}
	if seen != len(s.traces) {
		t.Errorf("%d of %d", seen, len(s.traces))
	}
	t.Logf("%+v %+v", total, usage)
	t.Log(tools, failed, outcomes)
	js, _ := json.Marshal(strings.Fields(fmt.Sprint(seen)))
	_ = js
}
