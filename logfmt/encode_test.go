package logfmt

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 21, 10, 3, 0, 123e6, time.UTC)

func full() Entry {
	return Entry{
		Time: noon, Cmd: "build", Phase: "RED", Event: Tool, Session: "8ccc287b-2e9c-4699-a1d2-d5b766fc4add", Seq: 42,
		ID: "8d11f8b6c54e0a97", Agent: &Agent{Type: "Explore", ID: "a25cb23d", ParentCmd: "build"}, Source: "claude",
		Wt: "wt/feature", Branch: "feature/x", Data: []byte(`{"tool":"Bash","exit_code":1}`),
		Extra: []Member{{"model", []byte(`"big"`)}, {"x", []byte(`{"y":[1,2]}`)}},
	}
}

func TestBytesOfAnEntry(t *testing.T) {
	e := full()
	got, err := e.AppendTo([]byte("before\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" +
		`{"ts":"2026-11-21T10:03:00.123Z","cmd":"build","phase":"RED","event":"TOOL",` +
		`"session":"8ccc287b-2e9c-4699-a1d2-d5b766fc4add","seq":42,"id":"8d11f8b6c54e0a97",` +
		`"agent":{"type":"Explore","id":"a25cb23d","parent_cmd":"build"},"source":"claude","wt":"wt/feature","branch":"feature/x",` +
		`"data":{"tool":"Bash","exit_code":1},"model":"big","x":{"y":[1,2]},"crc":"7b042ed0"}` + "\n" +
		"# BUILD:RED:TOOL - [Explore] Bash (exit 1)\n"
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e = Entry{Time: noon.In(time.FixedZone("", 3600)), Cmd: "session", Event: Stop}
	got, _ = e.AppendTo(nil)
	if want := `{"ts":"2026-11-21T10:03:00.123Z","cmd":"session","event":"STOP","wt":"","crc":"02d98343"}` + "\n# SESSION:STOP\n"; string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// mustWrite encodes e and gives the two lines without newlines.
func mustWrite(t testing.TB, e Entry) (jsonLine, human []byte) {
	t.Helper()
	b, err := e.AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(b, []byte("\n"))
	if len(lines) != 3 || len(lines[2]) != 0 {
		t.Fatalf("entry is not two lines: %q", b)
	}
	if len(b) > MaxEntry {
		t.Errorf("entry has %d bytes", len(b))
	}
	return lines[0], lines[1]
}

func mustParse(t testing.TB, line []byte) Entry {
	t.Helper()
	e, err := Parse(line)
	if err != nil {
		t.Fatalf("%v: %.300q", err, line)
	}
	if e.Edited {
		t.Errorf("edited: %.300q", line)
	}
	if err := Check(line); err != nil {
		t.Errorf("Check: %v", err)
	}
	return e
}

func TestRoundTrip(t *testing.T) {
	change := map[string]func(*Entry){
		"all":           func(e *Entry) {},
		"no phase":      func(e *Entry) { e.Phase = "" },
		"no session":    func(e *Entry) { e.Session = "" },
		"no seq":        func(e *Entry) { e.Seq = 0 },
		"no id":         func(e *Entry) { e.ID = "" },
		"no agent":      func(e *Entry) { e.Agent = nil },
		"empty agent":   func(e *Entry) { e.Agent = &Agent{} },
		"agent id only": func(e *Entry) { e.Agent = &Agent{ID: "a1"} },
		"odd agent":     func(e *Entry) { e.Agent = &Agent{Type: `a"}],"\ z`, ParentCmd: "é\u202e"} },
		"no source":     func(e *Entry) { e.Source = "" },
		"main worktree": func(e *Entry) { e.Wt = "" },
		"odd worktree":  func(e *Entry) { e.Wt = `../Größe "x"\y` },
		"no branch":     func(e *Entry) { e.Branch = "" },
		"odd branch":    func(e *Entry) { e.Branch = `feature/"q"\é` },
		"no data":       func(e *Entry) { e.Data = nil },
		"empty data":    func(e *Entry) { e.Data = []byte(`{}`) },
		"nested data":   func(e *Entry) { e.Data = []byte(`{"a":{"b":{}},"c":[{"d":1},{"e":"}"}],"f":"},\"x\""}`) },
		"no extra":      func(e *Entry) { e.Extra = nil },
		"bare":          func(e *Entry) { *e = Entry{Time: noon, Cmd: "a", Event: "B"} },
		"extra only":    func(e *Entry) { e.Data, e.Extra = nil, []Member{{`k"é`, []byte(`null`)}} },
		"largest seq":   func(e *Entry) { e.Seq = MaxSeq },
		"bounds": func(e *Entry) {
			e.Cmd, e.Phase, e.Session = strings.Repeat("c", MaxCmd), strings.Repeat("p", MaxPhase), SessionID(strings.Repeat("s", MaxSession))
			e.Event, e.ID, e.Seq = Event(strings.Repeat("E", MaxEvent)), strings.Repeat("i", MaxID), MaxSeq
		},
		"31st":   func(e *Entry) { e.Time = time.Date(2026, 12, 31, 23, 59, 59, 999e6, time.UTC) },
		"year 0": func(e *Entry) { e.Time = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) },
		"odd type": func(e *Entry) {
			e.Session = ""
			e.Extra = []Member{{"session", []byte(`7`)}, {"phase", []byte(`1`)}}
			e.Phase = ""
		},
		"data no dict": func(e *Entry) { e.Data = nil; e.Extra = []Member{{"data", []byte(`"text"`)}} },
	}
	for name, f := range change {
		t.Run(name, func(t *testing.T) {
			want := full()
			f(&want)
			line, human := mustWrite(t, want)
			got := mustParse(t, line)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("parsed (-want +got):\n%s\nline %s", diff, line)
			}
			if got.Human() != string(human) {
				t.Errorf("human line of the parsed entry: %q, in the log: %q", got.Human(), human)
			}
			compareHeader(t, line, got)
		})
	}
}

func compareHeader(t testing.TB, line []byte, e Entry) {
	t.Helper()
	h, ok := ParseHeader(line)
	if !ok {
		t.Fatalf("ParseHeader refuses %.300q", line)
	}
	at, _ := parseTime(h.Time)
	got := Entry{
		Time: at, Cmd: string(h.Cmd), Phase: string(h.Phase), Event: Event(h.Event), Session: SessionID(h.Session),
		ID: string(h.ID), Seq: h.Seq, Source: string(h.Source), Wt: string(h.Wt), Agent: e.Agent,
	}
	want := Entry{Time: e.Time, Cmd: e.Cmd, Phase: e.Phase, Event: e.Event, Session: e.Session, ID: e.ID, Seq: e.Seq, Source: e.Source, Wt: e.Wt, Agent: e.Agent}
	if diff := cmp.Diff(want, got); diff != "" || h.Agent != (e.Agent != nil) {
		t.Errorf("header and entry differ (-entry +header), agent %v:\n%s\nline %.300q", h.Agent, diff, line)
	}
}

// What a caller may pass and how it stands in the log.
func TestWrittenInNormalForm(t *testing.T) {
	in := Entry{
		Time: noon.Add(999 * time.Microsecond), Cmd: "my cmd", Phase: strings.Repeat("p", 99), Event: "tool done",
		Session: "a\"b\x00", Seq: MaxSeq + 1, ID: strings.Repeat("x", 65), Source: strings.Repeat("s", 99), Branch: "a\xffb",
		Data: []byte(" { \"a\" : [ 1 , \"x y\u202e\" ] ,\n \"b\" : \"\xff\" } "),
		Extra: []Member{
			{"crc", []byte(`"00000000"`)}, {"seq", []byte(`5`)}, {"branch", []byte(`5`)}, {"agent", []byte(`[ 5 ]`)}, {"k", []byte(` "\u0041" `)},
		},
	}
	line, _ := mustWrite(t, in)
	e := mustParse(t, line)
	want := Entry{
		Time: noon, Cmd: "my-cmd:6c8b4ab5", Phase: strings.Repeat("p", 23) + ":15ce88e7", Event: "tool-done:2a37b4a7",
		Session: "a-b-:4edf6b9a", ID: strings.Repeat("x", 55) + ":0e2ab8a0", Source: strings.Repeat("s", 61) + "…", Branch: "a\uFFFDb",
		Data:  []byte(`{"a":[1,"x y\u202e"],"b":"` + "\uFFFD" + `"}`),
		Agent: &Agent{}, Extra: []Member{{"k", []byte(`"\u0041"`)}},
	}
	for _, f := range []struct{ got, want *string }{{&e.Cmd, &want.Cmd}, {&e.Phase, &want.Phase}, {&e.ID, &want.ID}} {
		if !isToken(*f.got) || (*f.got)[:3] != (*f.want)[:3] || len(*f.got) != len(*f.want) {
			t.Errorf("name %q, want one like %q", *f.got, *f.want)
		}
		*f.want = *f.got
	}
	want.Event, want.Session = e.Event, e.Session
	if string(e.Event[:9]) != "tool-done" || e.Session[:4] != "a-b-" || len(e.Session) != 13 {
		t.Errorf("event %q, session %q", e.Event, e.Session)
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNotEncodable(t *testing.T) {
	for name, f := range map[string]func(*Entry){
		"no time":        func(e *Entry) { e.Time = time.Time{} },
		"year 10000":     func(e *Entry) { e.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"no cmd":         func(e *Entry) { e.Cmd = "" },
		"no event":       func(e *Entry) { e.Event = "" },
		"array data":     func(e *Entry) { e.Data = []byte(`[]`) },
		"broken data":    func(e *Entry) { e.Data = []byte(`{"a":}`) },
		"empty data":     func(e *Entry) { e.Data = []byte{} },
		"two values":     func(e *Entry) { e.Data = []byte(`{}{}`) },
		"deep data":      func(e *Entry) { e.Data = []byte(strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600)) },
		"broken unknown": func(e *Entry) { e.Extra = []Member{{"k", []byte(`{`)}} },
		"line end":       func(e *Entry) { e.Extra = []Member{{"k", []byte("\"\n\"")}} },
	} {
		e := full()
		f(&e)
		got, err := e.AppendTo([]byte("x"))
		if err == nil || string(got) != "x" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if h := e.Human(); !strings.HasPrefix(h, "# ") {
			t.Errorf("%s: human line %q", name, h)
		}
	}
}

// Whatever text comes in: both lines show on a terminal as they are.
func TestNothingThatActsOnATerminal(t *testing.T) {
	var evil strings.Builder
	for r := rune(0); r < 0x300; r++ {
		evil.WriteRune(r)
	}
	for r := rune(0x2000); r < 0x2100; r++ {
		evil.WriteRune(r)
	}
	evil.WriteString("\u061c\u180e\ufeff\ufff9\U000e0041\xff\xc3(\u202e")
	s := evil.String()
	raw, _ := json.Marshal(s)
	raw = bytes.ReplaceAll(raw, []byte(`\u202e`), []byte("\u202e"))
	for i := 0; i < len(s); i += 40 {
		part := s[i:min(len(s), i+80)]
		e := Entry{
			Time: noon, Cmd: part, Phase: part, Event: Event(part + "x"), Session: SessionID(part), ID: part, Source: part, Wt: part, Branch: part,
			Agent: &Agent{part, part, part}, Data: new(Object).Str("summary", part).Str(part, part).Raw("raw", raw).Bytes(), Extra: []Member{{part, raw}},
		}
		jsonLine, human := mustWrite(t, e)
		for _, line := range [][]byte{jsonLine, human} {
			if !utf8.Valid(line) {
				t.Errorf("not UTF-8: %q", line)
			}
			for _, r := range string(line) {
				if unsafeRune(r) {
					t.Errorf("%U in %q", r, line)
				}
			}
		}
		if !json.Valid(jsonLine) {
			t.Errorf("not JSON: %s", jsonLine)
		}
		mustParse(t, jsonLine)
	}
}
