package logfmt

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Lines of other tools and of editors, and what a reader makes of them.
func TestParseForeign(t *testing.T) {
	day := time.Date(2026, 11, 21, 10, 3, 0, 0, time.UTC)
	for _, c := range []struct {
		line string
		want Entry
	}{
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"plan","event":"COMPLETE"}`, Entry{Time: day, Cmd: "plan", Event: Complete}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"plan","phase":null,"event":"COMPLETE","data":{"outputs":["a","b"]},"agent":{"type":"Plan","id":"1",` +
			`"parent_cmd":"x","model":"m"}}`,
			Entry{Time: day, Cmd: "plan", Event: Complete, Data: []byte(`{"outputs":["a","b"]}`), Agent: &Agent{"Plan", "1", "x"}}},
		{"\xef\xbb\xbf \t{ \"event\" : \"X\", \"cmd\":\"p\\u006can\", \"data\" : { \"a\" : [ 1, \"b  c\" ] } , \"ts\":\"2026-11-21T11:03:00+01:00\" } \r",
			Entry{Time: day, Cmd: "plan", Event: "X", Data: []byte(`{"a":[1,"b  c"]}`)}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","cmd":"b","event":"X","event":"Y","k":1,"k":2}`,
			Entry{Time: day, Cmd: "a", Event: "X", Extra: []Member{{"k", []byte("1")}, {"k", []byte("2")}}}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","data":"text","phase":7,"session":true,"id":{},"agent":"me","wt":null,"branch":[]}`,
			Entry{Time: day, Cmd: "a", Event: "X", Agent: &Agent{Type: "me"}, Extra: []Member{
				{"data", []byte(`"text"`)}, {"phase", []byte("7")}, {"session", []byte("true")}, {"id", []byte("{}")}, {"branch", []byte("[]")}}}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","agent":""}`, Entry{Time: day, Cmd: "a", Event: "X"}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","agent":false}`, Entry{Time: day, Cmd: "a", Event: "X"}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","agent":[1]}`, Entry{Time: day, Cmd: "a", Event: "X", Agent: &Agent{}}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","agent":{"type":1,"id":"\u00e9"}}`, Entry{Time: day, Cmd: "a", Event: "X", Agent: &Agent{ID: "é"}}},
		// seq without a crc is another tool's number
		{`{"ts":"2026-11-21T10:03:00Z","v":0,"cmd":"a","seq":5,"event":"X","w":1}`,
			Entry{Time: day, Cmd: "a", Event: "X", Extra: []Member{{"v", []byte("0")}, {"seq", []byte("5")}, {"w", []byte("1")}}}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","seq":5,"event":"X","data":{"crc":"00000000"}}`,
			Entry{Time: day, Cmd: "a", Event: "X", Data: []byte(`{"crc":"00000000"}`), Extra: []Member{{"seq", []byte("5")}}}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","seq":5,"event":"X","crc":"00000000"}`, Entry{Time: day, Cmd: "a", Event: "X", Seq: 5, Edited: true}},
		{`{"ts":"2026-11-21T10:03:00Z","crc":"00000000","cmd":"a","seq":5,"event":"X"}`, Entry{Time: day, Cmd: "a", Event: "X", Seq: 5, Edited: true}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","crc":null}`, Entry{Time: day, Cmd: "a", Event: "X"}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","seq":1.5,"crc":7}`,
			Entry{Time: day, Cmd: "a", Event: "X", Edited: true, Extra: []Member{{"seq", []byte("1.5")}}}},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","seq":9007199254740992,"crc":""}`,
			Entry{Time: day, Cmd: "a", Event: "X", Edited: true, Extra: []Member{{"seq", []byte("9007199254740992")}}}},
		{"{\"ts\":\"2026-11-21T10:03:00Z\",\"cmd\":\"a\",\"event\":\"X\",\"source\":\"b\xffc\",\"data\":{\"d\":\"\xff\"}}",
			Entry{Time: day, Cmd: "a", Event: "X", Source: "b\uFFFDc", Data: []byte("{\"d\":\"\uFFFD\"}")}},
	} {
		got, err := Parse([]byte(c.line))
		if err != nil {
			t.Errorf("%v: %s", err, c.line)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n(-want +got):\n%s", c.line, diff)
		}
		compareHeader(t, []byte(c.line), got)
		if err := Check([]byte(c.line)); err != nil {
			t.Errorf("Check(%s): %v", c.line, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ line, why string }{
		{``, "does not begin with {"},
		{`# BUILD:START`, "does not begin with {"},
		{"\x00\x00\x00", "does not begin with {"},
		{`[]`, "does not begin with {"},
		{`{}`, "no ts"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a"}`, "no event"},
		{`{"ts":"2026-11-21T10:03:00Z","event":"X"}`, "no cmd"},
		{`{"cmd":"a","event":"X"}`, "no ts"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"","event":"X"}`, "no cmd"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":null,"event":"X"}`, "no cmd"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":7,"event":"X"}`, "no cmd"},
		{`{"ts":1763719380,"cmd":"a","event":"X"}`, "no ts"},
		{`{"ts":"soon","cmd":"a","event":"X"}`, `ts "soon": not an RFC 3339 time`},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X"`, "byte 50: not valid JSON"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X",}`, "byte 51: not valid JSON"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X"} {}`, "byte 51: text after the object"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","ev{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X"}`, "byte 44: not valid JSON"},
		{"{\"ts\":\"2026-11-21T10:03:00Z\",\"cmd\":\"a\x00\",\"event\":\"X\"}", "byte 37: not valid JSON"},
		{`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","data":` + strings.Repeat("[", 1<<20), "byte 570: nested deeper than 512"},
	} {
		_, err := Parse([]byte(c.line))
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("Parse(%.90q): %v, want %s", c.line, err, c.why)
		}
		if _, ok := ParseHeader([]byte(c.line)); ok {
			t.Errorf("ParseHeader takes %.90q", c.line)
		}
		if err := Check([]byte(c.line)); err == nil {
			t.Errorf("Check takes %.90q", c.line)
		}
	}
}

// Every beginning of an entry line, as a killed writer leaves it.
func TestNoBeginningOfALineIsAnEntry(t *testing.T) {
	e := full()
	e.Data = []byte(`{"a":{"b":1},"crc":"00000000x"}`)
	line, _ := mustWrite(t, e)
	for n := range len(line) {
		if _, err := Parse(line[:n]); err == nil {
			t.Errorf("parsed: %s", line[:n])
		}
		if _, ok := ParseHeader(line[:n]); ok {
			t.Errorf("header of: %s", line[:n])
		}
	}
}

// Every changed byte is refused or marked; a header alone may not see it.
func TestChangedBytesShow(t *testing.T) {
	for _, e := range []Entry{full(), {Time: noon, Cmd: "a", Event: Stop, Seq: 1}} {
		line, _ := mustWrite(t, e)
		for i := range line {
			for _, c := range []byte{0, '"', '\\', '{', '}', '0', 'x', ' ', line[i] ^ 1, line[i] ^ 0x20, line[i] ^ 0x80} {
				if c == line[i] {
					continue
				}
				changed := append([]byte(nil), line...)
				changed[i] = c
				if got, err := Parse(changed); err == nil && !got.Edited && got.Seq != 0 {
					t.Errorf("byte %d: unmarked: %s", i, changed)
				}
			}
		}
	}
}

func TestClassify(t *testing.T) {
	for in, want := range map[string]Kind{
		"": Blank, " ": Blank, "\r": Blank, "\t\r": Blank, "\xef\xbb\xbf": Blank,
		"#": Comment, "# X": Comment, "\xef\xbb\xbf# aburn workflow log v1": Comment, " #": Comment,
		"{": EntryLine, "{}\r": EntryLine, " {": EntryLine, "\xef\xbb\xbf{": EntryLine,
		"\x00": Damage, "x": Damage, "\"a\"": Damage, "}": Damage, "\x00{": Damage, "\x0b": Damage,
	} {
		if got := Classify([]byte(in)); got != want {
			t.Errorf("Classify(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestHeaderDoesNotAllocate(t *testing.T) {
	e := full()
	line, human := mustWrite(t, e)
	e.Agent, e.Extra = nil, nil
	plain, _ := mustWrite(t, e)
	n := testing.AllocsPerRun(100, func() {
		_, ok1 := ParseHeader(line)
		_, ok2 := ParseHeader(plain)
		if _, ok := ParseHeader(human); ok || !ok1 || !ok2 {
			t.Fatal("wrong answer")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
