package supervisor

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// busy is what n sessions at work do, in turns: prompts, calls, edits, tests, phases.
func busy(sessions, rounds int) []*logfmt.Entry {
	var list []*logfmt.Entry
	at := drawn.Epoch
	n := 0
	add := func(session int, e logfmt.Entry, data string) {
		n++
		at = at.Add(2 * time.Second)
		e.Time, e.Seq, e.ID = at, logfmt.Seq(n), fmt.Sprintf("%016x", uint64(n)*0x9e3779b97f4a7c15)
		e.Session = logfmt.SessionID(fmt.Sprintf("8ccc287b-2e9c-4699-a1d2-d5b766fc%04x", session))
		if e.Source == "" {
			e.Source = "claude"
		}
		if e.Cmd == "" {
			e.Cmd, e.Phase = "build", "GREEN"
		}
		e.Data = []byte(data)
		list = append(list, &e)
	}
	for r := range rounds {
		for s := range sessions {
			id := fmt.Sprintf("toolu_01%022d", r*sessions+s)
			add(s, logfmt.Entry{Event: logfmt.Prompt}, `{"head":"go on","chars":5,"hook_us":900,"lock_us":3}`)
			add(s, logfmt.Entry{Event: logfmt.Start, Source: "prompt", Cmd: "build", Phase: []string{"RED", "GREEN", "REFACTOR"}[r%3]}, `{}`)
			for i, call := range []string{
				fmt.Sprintf(`"tool":"Bash","head":"go test ./internal/journal -run 'TestStorm|TestCut' -count=%d","input":"%08x"`, r%6, r%6),
				fmt.Sprintf(`"tool":"Edit","path":"internal/journal/append%d.go","input":"%08x"`, r%30, r),
				fmt.Sprintf(`"tool":"Read","path":"internal/journal/rotate%d.go","input":"%08x"`, r%9, r%9),
			} {
				a := logfmt.Entry{}
				if i == 2 && r%2 == 0 {
					a.Agent = &logfmt.Agent{Type: "Explore", ID: fmt.Sprintf("a25cb23ddefd%03x%02x", s, r/10)}
				}
				a.Event = logfmt.ToolStart
				call = fmt.Sprintf(`{"tool_use_id":"%s_%d",%s`, id, i, call)
				add(s, a, call+`,"hook_us":412,"lock_us":3}`)
				a.Event = logfmt.Tool
				switch i {
				case 0:
					call += fmt.Sprintf(`,"exit_code":%d`, r%2)
				case 1:
					call += fmt.Sprintf(`,"bytes":12345,"sha256":"%064x"`, r)
				}
				add(s, a, call+`,"duration_ms":512,"hook_us":412,"lock_us":3}`)
			}
			if r%10 == 9 {
				add(s, logfmt.Entry{Event: logfmt.AgentComplete}, fmt.Sprintf(`{"agent_id":"a25cb23ddefd%03x%02x","agent_type":"Explore"}`, s, r/10))
			}
			add(s, logfmt.Entry{Event: logfmt.Milestone, Source: "prompt", Cmd: "build"}, fmt.Sprintf(`{"description":"slice %d of 9"}`, r))
			add(s, logfmt.Entry{Event: logfmt.Stop}, `{"hook_us":1200,"lock_us":3}`)
		}
	}
	return list
}

func busyState(sessions, rounds int) *state.State {
	model := workflow.Default()
	s := state.New(&model, limits.Default())
	for _, e := range busy(sessions, rounds) {
		s.Apply(e, false)
	}
	return s
}

func BenchmarkApply(b *testing.B) {
	for _, sessions := range []int{1, 3, 50} {
		b.Run(fmt.Sprint(sessions, " sessions"), func(b *testing.B) {
			entries := busy(sessions, 300/sessions+1)
			model := workflow.Default()
			b.ReportAllocs()
			n := 0
			var s *state.State
			for b.Loop() {
				if n%len(entries) == 0 {
					s = state.New(&model, limits.Default())
				}
				s.Apply(entries[n%len(entries)], false)
				n++
			}
		})
	}
}

func BenchmarkApplyLine(b *testing.B) {
	var log []byte
	entries := busy(3, 100)
	for _, e := range entries {
		line, err := e.AppendJSON(nil)
		if err != nil {
			b.Fatal(err)
		}
		log = append(append(log, line...), '\n')
	}
	model := workflow.Default()
	b.SetBytes(int64(len(log)) / int64(len(entries)))
	b.ReportAllocs()
	rest := []byte(nil)
	var s *state.State
	for b.Loop() {
		if len(rest) == 0 {
			rest, s = log, state.New(&model, limits.Default())
		}
		n := bytes.IndexByte(rest, '\n')
		if !s.ApplyLine(rest[:n], false) {
			b.Fatal("no entry")
		}
		rest = rest[n+1:]
	}
}

func BenchmarkCodec(b *testing.B) {
	for _, sessions := range []int{0, 3, 50} {
		s := busyState(sessions, 600/max(sessions, 1))
		stored := s.AppendJSON(nil)
		b.Run(fmt.Sprint("store ", sessions), func(b *testing.B) {
			b.SetBytes(int64(len(stored)))
			b.ReportAllocs()
			for b.Loop() {
				stored = s.AppendJSON(stored[:0])
			}
		})
		b.Run(fmt.Sprint("load ", sessions), func(b *testing.B) {
			b.SetBytes(int64(len(stored)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := state.Load(stored, s.Model(), s.Limits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A State of 50 sessions at work is read and written at every prompt.
func TestSizeOfBusyState(t *testing.T) {
	for sessions, most := range map[int]int{3: 96 << 10, 50: 256 << 10} {
		if n := len(busyState(sessions, 60).AppendJSON(nil)); n > most {
			t.Errorf("the State of %d sessions has %d bytes", sessions, n)
		} else {
			t.Logf("the State of %d sessions has %d bytes", sessions, n)
		}
	}
}
