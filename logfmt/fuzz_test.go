package logfmt

import (
	"bytes"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"aburn/logfmt/vectors"
)

func addVectorLines(f *testing.F) {
	all, err := vectors.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range all {
		for line := range bytes.Lines(v.Raw) {
			if len(line) < 2000 {
				f.Add(bytes.TrimSuffix(line, []byte("\n")))
			}
		}
	}
	f.Add([]byte(`{"ts":"2026-11-21T10:03:00Z","cmd":"a","event":"X","data":{"a":1},"data2":[{},{"b":"},\"c\""}]}`))
}

// FuzzParse: whatever the line, Parse, Check and ParseHeader agree, and what was
// read can be written and read again.
func FuzzParse(f *testing.F) {
	addVectorLines(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		checkLine(t, line)
		// The same with a crc that matches takes the other way through Parse.
		if n := bytes.LastIndex(line, []byte(crcKey)); n > 0 {
			checkLine(t, withCrc(line[:n]))
		} else if n := bytes.LastIndexByte(line, '}'); n > 0 {
			checkLine(t, withCrc(line[:n]))
		}
	})
}

func withCrc(head []byte) []byte {
	line := append([]byte(nil), head...)
	return append(appendHex32(append(line, crcKey...), crc32.ChecksumIEEE(head)), `"}`...)
}

func checkLine(t *testing.T, line []byte) {
	e, err := Parse(line)
	h, ok := ParseHeader(line)
	if Check(line) != nil {
		if (err == nil || ok) && !hasCrcTail(line) {
			t.Fatalf("no entry by Check; Parse: %v, ParseHeader: %v: %q", err, ok, line)
		}
		return
	}
	if err != nil || !ok {
		t.Fatalf("an entry by Check; Parse: %v, ParseHeader: %v: %q", err, ok, line)
	}
	if !e.Edited && utf8.Valid(line) {
		compareHeader(t, line, e)
	}
	var s scanned
	if s.scan(TrimLine(line)) != nil {
		t.Fatalf("scan refuses %q", line)
	}
	scanned := s.entry()
	scanned.Edited = scanned.Edited || len(s.line) < len(line) && s.field[fCrc].hi > 0
	if diff := cmp.Diff(scanned, e); diff != "" && utf8.Valid(line) {
		t.Fatalf("the two ways of Parse differ (-scan +own):\n%s\n%q", diff, line)
	}
	reread(t, line, e, h)
	rewrite(t, e)
}

// reread reads the line into what was used before.
func reread(t *testing.T, line []byte, e Entry, h Header) {
	var p Parser
	var e2 Entry
	var h2 Header
	if used := withCrc([]byte(stale)); p.Parse(used, &e2) != nil || e2.Edited || !h2.Read(used) {
		t.Fatalf("no entry of ours: %q", used)
	}
	if err := p.Parse(line, &e2); err != nil || !cmp.Equal(e, e2) {
		t.Fatalf("Parser.Parse: %v, %s\n%q", err, cmp.Diff(e, e2), line)
	}
	if !h2.Read(line) || !reflect.DeepEqual(h, h2) {
		t.Fatalf("Read into a used header: %+v, fresh %+v: %q", h2, h, line)
	}
}

const stale = `{"ts":"2026-11-21T10:03:00.123Z","cmd":"build","phase":"RED","event":"TOOL","session":"s","seq":42,"id":"0","agent":{"id":"a"},"source":"x",` +
	`"wt":"y","data":{"z":1}`

// rewrite writes what was read, reads it again, and writes that again.
func rewrite(t *testing.T, e Entry) {
	once, err := e.AppendTo(nil)
	if err != nil {
		t.Fatalf("%v: %+v", err, e)
	}
	line, human := splitEntry(t, once)
	again, err := Parse(line)
	if err != nil || again.Edited || Check(line) != nil {
		t.Fatalf("read again: %v, edited %v: %q", err, again.Edited, line)
	}
	if again.Human() != string(human) {
		t.Fatalf("human line %q, read again %q", human, again.Human())
	}
	twice, err := again.AppendTo(nil)
	if err != nil || !bytes.Equal(once, twice) {
		t.Fatalf("written again (%v):\n%q\n%q", err, once, twice)
	}
}

func splitEntry(t *testing.T, b []byte) (line, human []byte) {
	if len(b) > MaxEntry || bytes.Count(b, []byte("\n")) != 2 || b[len(b)-1] != '\n' {
		t.Fatalf("%d bytes, %d line ends: %.200q", len(b), bytes.Count(b, []byte("\n")), b)
	}
	for _, r := range string(b) {
		if r != '\n' && (unsafeRune(r)) {
			t.Fatalf("%U in %q", r, b)
		}
	}
	if !utf8.Valid(b) {
		t.Fatalf("not UTF-8: %q", b)
	}
	line, human, _ = bytes.Cut(b[:len(b)-1], []byte("\n"))
	if Classify(line) != EntryLine || Classify(human) != Comment || len(human) >= maxHuman {
		t.Fatalf("lines %q, %q", line, human)
	}
	return line, human
}

// FuzzRoundTrip: whatever the fields, the entry is written, and read back in its
// normal form.
func FuzzRoundTrip(f *testing.F) {
	f.Add(int64(1795255380123), "build", "RED", "TOOL", "8ccc287b", uint64(7), "0123456789abcdef", "Explore", "claude", "wt", "main", `{"tool":"Bash"}`, "k",
		`[1]`, 0)
	f.Add(int64(0), "a b", "é\u202e", "x\ny", "\x00", uint64(1)<<60, "", "", "\xff", "..", "\"\\", ` { } `, "crc", `"x"`, 3)
	f.Add(int64(-62135596800000), "session", "", "STOP", "", uint64(0), "", "", "", "", "", ``, "data", `{"a":{}}`, 40_000)
	f.Fuzz(func(t *testing.T, ms int64, cmd, phase, event, session string, seq uint64, id, agent, source, wt, branch, data, key, raw string, blow int) {
		e := Entry{
			Time: time.UnixMilli(ms), Cmd: cmd, Phase: phase, Event: Event(event), Session: SessionID(session), Seq: Seq(seq),
			ID: id, Source: source, Wt: wt, Branch: branch,
		}
		if agent != "" {
			e.Agent = &Agent{agent, branch, cmd}
		}
		if data != "" {
			blow = min(max(blow, 1), 200_000/(len(data)+len(raw)+1)+1)
			e.Data = []byte(data)
			if blow > 1 { // an array of many, or one long string
				e.Data = new(Object).Raw("list", []byte("["+strings.Repeat(data+",", blow)+data+"]")).Str("text", strings.Repeat(raw, blow)).Bytes()
			}
		}
		if key != "" {
			e.Extra = []Member{{key, []byte(raw)}}
		}
		n, err := e.normal()
		if err != nil {
			if _, err := e.AppendTo(nil); err == nil {
				t.Fatal("written, but has no normal form")
			}
			return
		}
		b, err := e.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		line, _ := splitEntry(t, b)
		got, err := Parse(line)
		if err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		n.Time = n.Time.UTC().Truncate(time.Millisecond)
		if len(n.Extra) == 1 && got.Extra == nil {
			// A known member of the right type in the wrong place reads as itself.
			rewrite(t, got)
			return
		}
		if diff := cmp.Diff(n, got); diff != "" {
			t.Fatalf("(-normal +read):\n%s\n%q", diff, line)
		}
		compareHeader(t, line, got)
		rewrite(t, got)
	})
}

// FuzzLog: a carrier and a block take any log, and what carries are its lines.
func FuzzLog(f *testing.F) {
	all, err := vectors.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range all {
		if len(v.Raw) < 10_000 {
			f.Add(v.Raw)
		}
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		c := NewCarrier(noon)
		for line := range bytes.Lines(log) {
			c.Add(bytes.TrimSuffix(line, []byte("\n")))
		}
		lines, _ := c.Lines()
		for _, line := range lines {
			if _, ok := ParseHeader(line); !ok || !bytes.Contains(log, line) {
				t.Fatalf("carries %q", line)
			}
		}
		// What carried once carries again, as long as its own time is of the last 7 days: a later entry of its session, which stays behind, may
		// have been why it carried.
		again := NewCarrier(noon)
		for _, line := range lines {
			h, _ := ParseHeader(line)
			if at, ok := parseTime(h.Time); !ok || noon.Sub(at) > carryAge {
				return
			}
			again.Add(line)
		}
		if twice, _ := again.Lines(); !cmp.Equal(lines, twice) {
			t.Fatalf("carried\n%q\nthen\n%q", lines, twice)
		}
	})
}
