package backtest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/supervisor"
)

// disclosed reports whether the authors of the rules were told about the weaknesses that a scenario of examiner-2 shows.
func disclosed(name string) bool { return sha256.Sum256([]byte(name))[0]%2 == 1 }

// later are the folders of the later examinations.
var later = [...]string{"examiner-2", "examiner-2-reworded", "examiner-2-after", "generated", "probes", "blind", "proof", "young"}

// examinations replays the later examinations, and tells the halves of examiner-2 apart.
func examinations(t *testing.T) []*part {
	half := map[bool]*part{true: {name: "examiner-2, told"}, false: {name: "examiner-2, untold"}}
	var list []*part
	for _, folder := range later {
		p := &part{name: folder}
		for _, s := range corpus(t, folder) {
			o := run(t, s, nil)
			p.add(o)
			if folder == "examiner-2" {
				half[disclosed(s.Name)].add(o)
			}
		}
		list = append(list, p)
	}
	return append(list, half[true], half[false])
}

// examined is what the page says about the later examinations as the rules are now.
func examined(b *strings.Builder, list []*part) {
	b.WriteString("\n### The later examinations, as the rules are now\n\n|")
	for _, p := range list {
		b.WriteString(" | " + p.name)
	}
	b.WriteString(" |\n|" + strings.Repeat("---|", len(list)+1) + "\n")
	for _, row := range []struct {
		name string
		cell func(*part) string
	}{
		{"scenarios", func(p *part) string { return fmt.Sprint(len(p.outcomes)) }},
		{"healthy ones", func(p *part) string { return fmt.Sprint(p.Healthy) }},
		{"healthy ones that were flagged", func(p *part) string { return share(Share{p.Flagged, p.Healthy}) }},
		{"precision: of the alerts, true", func(p *part) string { return share(p.Total().All.Precision()) }},
		{"recall: of the issues there, found", func(p *part) string { return share(p.Total().All.Recall()) }},
		{"precision above 0.9", func(p *part) string { return share(p.Total().Above.Precision()) }},
		{"recall above 0.9", func(p *part) string { return share(p.Total().Above.Recall()) }},
		{"traps that raised an alert", func(p *part) string { t := p.Total(); return share(Share{t.Sprung, t.Traps}) }},
		{"debatable alerts, counted neither way", func(p *part) string { return fmt.Sprint(p.Total().All.Allowed) }},
		{"right verdicts at the end", func(p *part) string { return share(ends(p)) }},
	} {
		fmt.Fprintf(b, "| %s |", row.name)
		for _, p := range list {
			fmt.Fprintf(b, " %s |", row.cell(p))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n| type, in all of them | recall, and precision where it differs | above 0.9: true, false | traps that raised one |\n|---|---|---|---|\n")
	all := &part{}
	for _, p := range list[:len(later)] {
		for _, o := range p.outcomes {
			all.add(o)
		}
	}
	for _, kind := range supervisor.Types() {
		t := all.Of(kind)
		fmt.Fprintf(b, "| `%s` | %s | %d, %d | %d/%d |\n", kind, right(t), t.Above.True, t.Above.False, t.Sprung, t.Traps)
	}
	b.WriteString("\n")
}

// TestSecond replays the later examinations. With -v and -run TestSecond/NAME it logs the course of one scenario; like those of
// the corpus it fails nothing by itself: what the numbers may not fall below stands in docs/evidence/backtest.md.
func TestSecond(t *testing.T) {
	world.Slow(t)
	for _, folder := range later {
		for _, s := range corpus(t, folder) {
			t.Run(s.Name, func(t *testing.T) {
				if o := run(t, s, nil); *frozen || folder == "examiner-2" && disclosed(s.Name) {
					logTimeline(t, o)
				}
			})
		}
	}
}
