package journal_test

import (
	"slices"
	"strings"
	"testing"

	"aburn/internal/journal"
	"aburn/logfmt"
	"aburn/logfmt/vectors"
)

// What logfmt's vectors say of a log holds for this package's readers too:
// the findings of Verify, the entries forwards and backwards, the carried lines.
func TestVectors(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			dir := t.TempDir()
			writeLog(t, dir, string(v.Raw))
			var o journal.Options
			if v.Anchor != nil {
				o.Anchor = writeAnchor(t, v.Anchor.First, v.Anchor.Seq, v.Anchor.Sum, v.Anchor.Size, v.Anchor.Hash)
			}
			j := open(t, dir, o)

			report, err := j.Verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range append(report.Damage, report.Notes...) {
				found = append(found, f.Kind)
			}
			if slices.Sort(found); !slices.Equal(found, v.Expect) {
				t.Errorf("verify found %q, want %q\n%s", found, v.Expect, v.Comment)
			}

			own, carried := readVector(t, journal.Unique(j.Forward(journal.Position{})))
			if !slices.Equal(own, v.Reads) || !slices.Equal(carried, v.Carried) {
				t.Errorf("forward %q, carried %q\nwant %q, carried %q\n%s", own, carried, v.Reads, v.Carried, v.Comment)
			}
			// Backward lines are not made unique: the later of two repeats comes first.
			n := 0
			for l, err := range j.Backward(journal.BackwardOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				if logfmt.Check(l.JSON) == nil && !l.Carried {
					n++
				}
			}
			if n != report.Entries {
				t.Errorf("backward %d entries, verify counted %d", n, report.Entries)
			}
		})
	}
}

// readVector renders the entries as a vector's header does.
func readVector(t *testing.T, lines func(func(journal.Line, error) bool)) (own, carried []string) {
	t.Helper()
	for l, err := range lines {
		if err != nil {
			t.Fatal(err)
		}
		e, err := logfmt.Parse(l.JSON)
		if err != nil || logfmt.Check(l.JSON) != nil {
			continue
		}
		text := e.Cmd
		if e.Phase != "" {
			text += ":" + e.Phase
		}
		text += ":" + string(e.Event)
		if e.Wt != "" {
			text += "@" + e.Wt
		}
		if e.Agent != nil {
			text += "*" + e.Agent.Type
		}
		text = strings.ReplaceAll(text, " ", "_")
		if l.Carried {
			carried = append(carried, text)
		} else {
			own = append(own, text)
		}
	}
	return own, carried
}
