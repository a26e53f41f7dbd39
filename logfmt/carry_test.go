package logfmt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// segment draws a log, one entry a word: EVENT.cmd[.phase][@wt][/session][*agent][-days],
// with `(n` and `)` for the CHECKPOINTs around n carried entries, `!` for a torn
// line, `_` for a blank one.
type segment struct {
	t    *testing.T
	seq  Seq
	text []byte
}

func (s *segment) entry(word string) Entry {
	e := Entry{Time: noon, Source: "prompt"}
	cut := func(sep string) string {
		head, tail, _ := strings.Cut(word, sep)
		word = head
		return tail
	}
	if days := cut("-"); days != "" {
		var n int
		fmt.Sscan(days, &n)
		e.Time = noon.Add(-time.Duration(n) * 24 * time.Hour)
	}
	if agent := cut("*"); agent != "" {
		e.Agent = &Agent{Type: agent}
	}
	e.Session = SessionID(cut("/"))
	e.Wt = cut("@")
	parts := append(strings.Split(word, "."), "session", "")
	e.Event, e.Cmd = Event(parts[0]), parts[1]
	if len(parts) > 4 {
		e.Phase = parts[2]
	}
	return e
}

func (s *segment) add(words string) {
	carried := 0
	for _, word := range strings.Fields(words) {
		var e Entry
		switch {
		case word == "!":
			s.text = append(s.text, "{\"ts\":\"2026\n"...)
			continue
		case word == "_":
			s.text = append(s.text, '\n')
			continue
		case word[0] == '(':
			fmt.Sscan(word[1:], &carried)
			e = Entry{Time: noon, Cmd: SessionCmd, Event: Checkpoint, Data: CheckpointData{Segment: "workflow.log.1", Carried: carried}.Bytes()}
		case word == ")":
			carried = 0
			e = Entry{Time: noon, Cmd: SessionCmd, Event: Checkpoint, Data: CheckpointData{Closing: true}.Bytes()}
		default:
			e = s.entry(word)
		}
		if carried > 0 && e.Event != Checkpoint {
			e.Seq = 1
			line, _ := e.AppendJSON(nil)
			s.text = append(append(s.text, line...), '\n')
			continue
		}
		s.seq++
		e.Seq = 100 + s.seq
		text, err := e.AppendTo(s.text)
		if err != nil {
			s.t.Fatal(err)
		}
		s.text = text
	}
}

// read gives each line's word again, in order, without days.
func word(line []byte) string {
	e, err := Parse(line)
	if err != nil {
		return err.Error()
	}
	w := string(e.Event) + "." + e.Cmd
	for _, p := range []struct{ sep, s string }{{".", e.Phase}, {"@", e.Wt}, {"/", string(e.Session)}} {
		if p.s != "" {
			w += p.sep + p.s
		}
	}
	if e.Agent != nil {
		w += "*" + e.Agent.Type
	}
	return w
}

func TestWhatCarries(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"nothing":      {"", ""},
		"tools do not": {"TOOL.build/s STOP.session/s PROMPT.session/s", ""},
		"last of each": {"START.plan COMPLETE.plan START.plan START.build FAILED.plan FAILED.build START.build",
			"COMPLETE.plan START.plan FAILED.plan FAILED.build START.build"},
		"each worktree":  {"COMPLETE.plan COMPLETE.plan@a COMPLETE.plan@b COMPLETE.plan@a", "COMPLETE.plan COMPLETE.plan@b COMPLETE.plan@a"},
		"not a phase's":  {"COMPLETE.build COMPLETE.build.RED PHASE_COMPLETE.build.RED FAILED.build.GREEN START.build.RED", "COMPLETE.build"},
		"not an agent's": {"COMPLETE.build COMPLETE.build*Explore FAILED.build*Explore", "COMPLETE.build"},
		"last of session": {"START.build/s PHASE_START.build.RED/s TOOL.build.RED/s PHASE_START.build.RED/r TOOL.build/r",
			"START.build/s PHASE_START.build.RED/s PHASE_START.build.RED/r"},
		"agent's too":      {"START.build/s AGENT_SPAWN.build/s*Explore", "START.build/s AGENT_SPAWN.build/s*Explore"},
		"one line, once":   {"START.build/s", "START.build/s"},
		"old sessions":     {"PHASE_START.build.RED/s-8 PHASE_START.build.RED/r-6 MILESTONE.build/q-9 TOOL.build/q-1", "PHASE_START.build.RED/r MILESTONE.build/q"},
		"old commands":     {"COMPLETE.plan-400", "COMPLETE.plan"},
		"damage":           {"START.a ! _ COMPLETE.b", "START.a COMPLETE.b"},
		"carried again":    {"(2 COMPLETE.plan START.plan/s ) TOOL.build/s", "COMPLETE.plan START.plan/s"},
		"own is newer":     {"(1 COMPLETE.plan@x ) COMPLETE.plan@x/own", "COMPLETE.plan@x/own"},
		"late block":       {"COMPLETE.plan/own START.build/s (2 COMPLETE.plan START.plan/s )", "START.plan/s COMPLETE.plan/own START.build/s"},
		"late session":     {"PHASE_START.b.RED/s (1 PHASE_COMPLETE.b.RED/s )", "PHASE_START.b.RED/s"},
		"torn block":       {"START.build (2 START.build COMPLETE.plan ! COMPLETE.plan/new", "START.build COMPLETE.plan/new"},
		"unknown session":  {"PHASE_START.build.RED", ""},
		"checkpoints stay": {"(0 ) (0 )", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := segment{t: t}
			s.add(c.log)
			carrier := NewCarrier(noon)
			eachLine(s.text, carrier.Add)
			lines, left := carrier.Lines()
			var got []string
			for _, line := range lines {
				got = append(got, word(line))
				if !strings.Contains(string(s.text), string(line)+"\n") {
					t.Errorf("not verbatim: %s", line)
				}
			}
			if want := strings.Fields(c.want); !slices.Equal(got, want) || left != 0 {
				t.Errorf("log  %s\ngot  %v, %d left\nwant %v", c.log, got, left, want)
			}
		})
	}
}

func TestCarryIsBounded(t *testing.T) {
	s := segment{t: t}
	for i := range 700 {
		s.add(fmt.Sprintf("MILESTONE.build/s%d", i))
	}
	for i := range 1200 {
		s.add(fmt.Sprintf("COMPLETE.build@w%d", i))
	}
	carrier := NewCarrier(noon)
	eachLine(s.text, carrier.Add)
	lines, left := carrier.Lines()
	if len(lines) != 1500 || left != 400 {
		t.Errorf("%d lines, %d left", len(lines), left)
	}
	if first, last := word(lines[0]), word(lines[1499]); first != "MILESTONE.build/s200" || last != "COMPLETE.build@w1199" {
		t.Errorf("from %s to %s", first, last)
	}

	carrier = NewCarrier(noon)
	for i := range 100 {
		e := Entry{Time: noon, Cmd: "c", Event: Complete, Wt: fmt.Sprint(i), Data: new(Object).Str("summary", strings.Repeat("x", 60_000)).Bytes()}
		line, _ := e.AppendJSON(nil)
		carrier.Add(line)
	}
	lines, left = carrier.Lines()
	if total := len(slices.Concat(lines...)) + len(lines); total > carryBytes || total < carryBytes-MaxEntry || len(lines)+left != 100 {
		t.Errorf("%d lines of %d bytes, %d left", len(lines), total, left)
	}
}

// The lines between the CHECKPOINTs, and no others, are carried.
func TestBlock(t *testing.T) {
	for log, want := range map[string]string{
		"TOOL.a (2 START.b START.c ) TOOL.d": "START.b START.c",
		"(0 ) TOOL.a":                        "",
		"(2 START.b START.c ":                "START.b START.c",
		"(3 START.b START.c ! TOOL.d":        "START.b START.c",
		"(3 START.b _ START.c":               "START.b",
		"(1 START.b START.c":                 "START.b",
		"(3 START.b (1 START.c )":            "START.b START.c",
	} {
		s := segment{t: t}
		s.add(log)
		var b Block
		var got []string
		eachLine(s.text, func(line []byte) {
			if b.Step(line) {
				got = append(got, word(line))
			}
		})
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: carried %v, want %s", log, got, want)
		}
	}
	// A writer that found the block torn between two lines goes on with a seq.
	s := segment{t: t}
	s.add("(5 START.b")
	s.seq = 50
	e := Entry{Time: noon, Cmd: "own", Event: Start, Seq: 150}
	s.text, _ = e.AppendTo(s.text)
	var b Block
	carried := 0
	eachLine(s.text, func(line []byte) {
		if b.Step(line) {
			carried++
		}
	})
	if carried != 1 {
		t.Errorf("%d lines carried of a block torn between lines", carried)
	}
}

func TestCheckpointData(t *testing.T) {
	open := CheckpointData{Segment: "workflow.log.1", First: 1, Last: 4567, Entries: 4600, Carried: 12, Left: 3, Dropped: []Range{{1, 99}, {200, 200}}}
	want := `{"segment":"workflow.log.1","first":1,"last":4567,"entries":4600,"carrying":12,"left":3,"dropped":[[1,99],[200,200]]}`
	if got := string(open.Bytes()); got != want {
		t.Errorf("opening: %s", got)
	}
	shut := CheckpointData{Closing: true, Carried: 12, Left: 3}
	for _, want := range []CheckpointData{open, shut} {
		got, ok := ParseCheckpoint(want.Bytes())
		if !ok || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("read back %v, %v", got, ok)
		}
	}
	for _, data := range []string{``, `{}`, `{"carried":"x"}`, `[]`, `{"segment":"x"}`} {
		if c, ok := ParseCheckpoint([]byte(data)); ok {
			t.Errorf("%s read as %v", data, c)
		}
	}
	if c, ok := ParseCheckpoint([]byte(`{"carrying":-5,"first":-1,"last":1e99,"dropped":[[5,1],[1],7,["a","b"]]}`)); !ok ||
		fmt.Sprint(c) != fmt.Sprint(CheckpointData{Dropped: []Range{{0, 0}}}) {
		t.Errorf("hostile numbers read as %v, %v", c, ok)
	}
}
