package drawn

import (
	"strings"
	"testing"
	"time"
)

// TestLines shows what each word stands for.
func TestLines(t *testing.T) {
	lines, end := Lines("@A %main plan> +5m plan.[docs/a.md,b.md]->build /wt/f @ build:RED> build:RED. build:RED! build* tester~build! t*2 # build!")
	var got []string
	for _, l := range lines {
		if l.Entry == nil {
			got = append(got, "junk")
			continue
		}
		e := l.Entry
		who := string(e.Session)
		if e.Agent != nil {
			who += "(" + e.Agent.Type + ")"
		}
		got = append(got, strings.Join([]string{e.Time.Format("04:05"), who, e.Wt, e.Branch, string(e.Human()), string(e.Data)}, "|"))
	}
	want := []string{
		`00:00|A||main|# PLAN:START|`,
		`05:01|A||main|# PLAN:COMPLETE - docs/a.md, b.md; next: build|{"outputs":["docs/a.md","b.md"],"next_suggested":"build"}`,
		`05:02||wt/f|main|# BUILD:RED:START|`,
		`05:03||wt/f|main|# BUILD:RED:COMPLETE|`,
		`05:04||wt/f|main|# BUILD:RED:FAILED|`,
		`05:05||wt/f|main|# BUILD:MILESTONE|`,
		`05:06|(tester)|wt/f|main|# BUILD:FAILED|`,
		`05:07||wt/f||# SESSION:TOOL - Bash go test ./...|{"tool":"Bash","head":"go test ./..."}`,
		`05:08||wt/f||# SESSION:TOOL - Bash go test ./...|{"tool":"Bash","head":"go test ./..."}`,
		`junk`,
		`05:09||wt/f|main|# BUILD:FAILED|`,
	}
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		// The line for people is logfmt's own business; its beginning is enough.
		gp, wp := strings.Split(g, "|"), strings.Split(w, "|")
		if len(gp) == 6 && len(wp) == 6 {
			gp[4], _, _ = strings.Cut(gp[4], " - ")
			wp[4], _, _ = strings.Cut(wp[4], " - ")
		}
		if strings.Join(gp, "|") != strings.Join(wp, "|") {
			t.Errorf("line %d: %s\nwant %s", i, g, w)
		}
	}
	if want := Epoch.Add(5*time.Minute + 10*time.Second); !end.Equal(want) {
		t.Errorf("it ends at %s, want %s", end, want)
	}
}

func TestWrongDrawing(t *testing.T) {
	for _, drawing := range []string{"plan", ">", "plan.x", "plan.[a", "+5", "t*x"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was drawn", drawing)
				}
			}()
			Lines(drawing)
		}()
	}
}
