package contents_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/contents"
)

var words = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]{3,}`)

// A word of any text of any agent's fixtures finds this text's event, in whatever case it is written, and every hit holds it.
func TestSearchFindsEveryText(t *testing.T) {
	for _, c := range fixtures(t) {
		searched := 0
		for _, p := range c.places {
			p, _ = filepath.Abs(p)
			for _, tr := range tracetest.Read(t, c.reader, p).Ordered() {
				from := contents.From{Sources: tr.Sources, Rows: c.rows}
				rows := c.rows
				if len(tr.Events) > 0 && tr.Events[0].Ref.Table == "" {
					rows = nil
				}
				for i := range tr.Events {
					e := &tr.Events[i]
					w, ok := contents.Of(tr, e)
					if !ok || e.Copied != "" || i%7 != 0 {
						continue
					}
					got, err := contents.Read(t.Context(), from, []contents.Want{w})
					if err != nil {
						t.Fatal(err)
					}
					word := words.FindString(string(got[0].Text))
					if word == "" {
						continue
					}
					searched++
					var events []int
					hit := func(h contents.Hit) {
						events = append(events, h.Event)
						if !strings.Contains(strings.ToLower(string(h.Text)), strings.ToLower(word)) {
							t.Errorf("%s: event %d does not hold %q", tr.ID, h.Event, word)
						}
					}
					if q := contents.NewQuery(strings.ToUpper(word)); rows == nil {
						_, err = contents.Search(t.Context(), q, tr.Sources[0].Path, func() (*trace.SessionTrace, contents.From, error) { return tr, from, nil }, hit)
					} else {
						_, err = contents.SearchRows(t.Context(), q, tr.Sources[0].Path, rows, []*trace.SessionTrace{tr}, func(_ int, h contents.Hit) { hit(h) })
					}
					if err != nil || !slices.Contains(events, e.Seq) {
						t.Errorf("%s %s: %q finds %v, not %d: %v", c.reader.Name(), tr.ID, word, events, e.Seq, err)
					}
				}
			}
		}
		if searched < 6 {
			t.Errorf("%s: only %d words were searched", c.reader.Name(), searched)
		}
	}
}

// Words are found wherever they stand in a file that is larger than what is read at once, also across the ends of its parts.
func TestSearchAcrossParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.jsonl")
	var all bytes.Buffer
	tr := &trace.SessionTrace{Sources: []trace.File{{Path: path}}}
	pad := strings.Repeat("lorem ipsum ", 700)
	for i := range 600 {
		text := pad[:(i*37)%8000] + fmt.Sprintf(" Needle%03d \"quoted\" ", i) + pad[:(i*91)%5000]
		w := contents.Want{Ref: trace.Ref{Line: int64(i + 1), Offset: int64(all.Len())}}
		line := fmt.Sprintf("{\"text\":%q}\n", text)
		all.WriteString(line)
		tr.Events = append(tr.Events, trace.Event{Seq: i + 1, Ref: w.Ref, Body: &trace.AgentMessage{Digest: digest(text)}})
	}
	if err := os.WriteFile(path, all.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	search := func(text string) (events []int, s contents.Searched) {
		s, err := contents.Search(t.Context(), contents.NewQuery(text), path, func() (*trace.SessionTrace, contents.From, error) {
			return tr, contents.From{Sources: tr.Sources}, nil
		}, func(h contents.Hit) { events = append(events, h.Event) })
		if err != nil {
			t.Fatal(err)
		}
		return events, s
	}
	for i := 0; i < 600; i += 11 {
		if got, s := search(fmt.Sprintf("needle%03d \"QUOTED\"", i)); len(got) != 1 || got[0] != i+1 || s.Bytes != int64(all.Len()) {
			t.Fatalf("%d: %v, %+v", i, got, s)
		}
	}
	if got, s := search("needle"); len(got)+s.More != 600 {
		t.Errorf("%d, %d more", len(got), s.More)
	}
	if got, _ := search("needle001 needle002"); got != nil {
		t.Errorf("two words of two texts: %v", got)
	}
	if contents.NewQuery("\" x") != nil || contents.NewQuery("") != nil {
		t.Error("nothing can be searched for that")
	}
}
