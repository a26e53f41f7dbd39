package backtest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"aburn/supervisor"
)

// told reports whether the weaknesses that a scenario of the second examination shows were described to who mends the rules.
func told(name string) bool { return sha256.Sum256([]byte(name))[0]%2 == 1 }

// examinations replays the second examination and the third, and then the halves of the second once more, each for itself.
func examinations(t *testing.T) []*part {
	list := []*part{{name: "second"}, {name: "third"}, {name: "second, told"}, {name: "second, untold"}}
	for _, p := range list[:2] {
		for _, s := range corpus(t, p.name) {
			o := run(t, s, nil)
			p.add(o)
			switch {
			case p.name == "third":
			case told(s.Name):
				list[2].add(o)
			default:
				list[3].add(o)
			}
		}
	}
	return list
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
		{"traps that were fallen into", func(p *part) string { t := p.Total(); return share(Share{t.Sprung, t.Traps}) }},
		{"debatable alerts, counted neither way", func(p *part) string { return fmt.Sprint(p.Total().All.Allowed) }},
		{"what stands, or no longer stands, at the end is right", func(p *part) string { return share(ends(p)) }},
	} {
		fmt.Fprintf(b, "| %s |", row.name)
		for _, p := range list {
			fmt.Fprintf(b, " %s |", row.cell(p))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n| type, second and third | recall | precision | above 0.9: true, false | traps fallen into |\n|---|---|---|---|---|\n")
	both := &part{}
	for _, p := range list[:2] {
		for _, o := range p.outcomes {
			both.add(o)
		}
	}
	for _, kind := range supervisor.Types() {
		t := both.Of(kind)
		fmt.Fprintf(b, "| `%s` | %s | %s | %d, %d | %d of %d |\n", kind, share(t.All.Recall()), share(t.All.Precision()), t.Above.True, t.Above.False, t.Sprung, t.Traps)
	}
	b.WriteString("\n")
}

// TestSecond replays the later examinations. With -v and -run TestSecond/NAME it tells the story of one scenario; like those of
// the corpus it fails nothing by itself: what the numbers may not fall below stands in docs/backtest.md.
func TestSecond(t *testing.T) {
	for _, folder := range []string{"second", "third"} {
		for _, s := range corpus(t, folder) {
			t.Run(s.Name, func(t *testing.T) {
				if o := run(t, s, nil); *frozen || folder == "second" && told(s.Name) {
					tell(t, o)
				}
			})
		}
	}
}
