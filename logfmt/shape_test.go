package logfmt

import (
	"fmt"
	"testing"
)

// Whatever byte of a line changes, a Parser that has just met lines like it says
// the same as one that has met nothing.
func TestParserIsLikeNew(t *testing.T) {
	for _, line := range []string{
		`{"ts":"2026-11-21T10:03:00.123Z","cmd":"build","phase":"RED","event":"TOOL","session":"b97d2ad7-d108-46fe","seq":42,"id":"92aef5d5260f830f",` +
			`"source":"claude","wt":"","data":{"a":"b"},"crc":"00000000"}`,
		`{"ts":"2026-11-21T10:03:00.123Z","cmd":"plan","event":"TOOL","session":"123456789","seq":7,"id":"12345678","agent":{"type":"t","id":"i"},"wt":"x",` +
			`"data":{},"crc":"00000000"}`,
		`{"ts":"2026-11-21T10:03:00.123Z","cmd":"plan","event":"STOP","session":"s","seq":7,"id":"1","crc":"00000000"}`,
	} {
		var p Parser
		var h Header
		for i := range line {
			for _, c := range []byte("\"\\\x80\x000,}") {
				if !p.Header([]byte(line), &h) {
					t.Fatalf("no entry: %s", line)
				}
				changed := []byte(line)
				changed[i] = c
				want, ok := ParseHeader(changed)
				if got := p.Header(changed, &h); got != ok || ok && !sameHeader(h, want) {
					t.Fatalf("%s: %v, %+v, want %v, %+v", changed, got, h, ok, want)
				}
			}
		}
	}
}

// sameHeader takes an empty slice for none.
func sameHeader(a, b Header) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
