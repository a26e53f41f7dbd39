package supervise

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/supervisor/status"
	"aburn/workflow"
)

func TestFindIssue(t *testing.T) {
	var v status.View
	v.Issues = []supervisor.Issue{
		{Type: "loop", Signature: "loop-00000000aaaaaaaa"}, {Type: "loop", Signature: "loop-00000000aaaabbbb"},
		{Type: "silence", Signature: "silence-00000000aaaaaaaa"},
	}
	for text, want := range map[string]string{
		"loop-00000000aaaabbbb": "loop-00000000aaaabbbb", "loop-00000000aaaab": "loop-00000000aaaabbbb",
		"silence": "silence-00000000aaaaaaaa", "s": "silence-00000000aaaaaaaa",
		"loop": "2 issues are called \"loop\"", "": `no issue is called "" now`, "regression": `no issue is called "regression" now`,
	} {
		is, err := findIssue(text, &v)
		if is != nil && is.Signature != want || is == nil && err.Error() != want {
			t.Errorf("%q: %v, %v", text, is, err)
		}
	}
}

// No line is wider than 80 cells, whatever the words, and no letter is lost.
func TestParagraph(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("word ", 60), strings.Repeat("x", 500), "ab " + strings.Repeat("語", 100) + " c"} {
		for indent := range 5 {
			var b bytes.Buffer
			term.Paragraph(term.New(&b, func(string) string { return "" }, true), indent, "begin: ", text)
			var letters string
			for line := range strings.Lines(b.String()) {
				if w := plain.Width(strings.TrimSuffix(line, "\n")); w > term.PageWidth || strings.HasSuffix(line, " \n") ||
					!strings.HasPrefix(line, strings.Repeat(" ", indent)) {
					t.Errorf("%d cells: %q", w, line)
				}
				letters += strings.TrimSpace(line)
			}
			if want := strings.ReplaceAll("begin: "+text, " ", ""); text != "" && strings.ReplaceAll(letters, " ", "") != want {
				t.Errorf("%q became %q", text, b.String())
			}
		}
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "0s", 0: "0s", 59*time.Second + 999*time.Millisecond: "59s", time.Minute: "1m", 59*time.Minute + 59*time.Second: "59m", time.Hour: "1h",
		47 * time.Hour: "47h", 49 * time.Hour: "2d",
	} {
		if got := status.ShortDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// The chain fits its line however long it is.
func TestChainTextFits(t *testing.T) {
	model := workflow.Default()
	for i := range 30 {
		model.Commands = append(model.Commands, workflow.Command{Name: strings.Repeat("c", i%20+1)})
	}
	for n := range model.Commands {
		v := status.View{Model: &workflow.Model{Commands: model.Commands[:n]}}
		v.State = state.New(v.Model, limits.Default())
		v.State.Links = append(v.State.Links, &state.Link{Cmd: "plan", Complete: state.Mark{Ord: 1, At: time.Now().UnixMilli()}})
		v.Now = time.Now()
		for _, width := range []int{20, 71} {
			text := v.ChainText(term.New(&bytes.Buffer{}, func(string) string { return "" }, true), "", width)
			if plain.Width(text) > width || n > 1 && width > 20 && !strings.Contains(text, "plan ✔ 0s") || n > 20 && !strings.HasSuffix(text, "…") {
				t.Errorf("%d commands on %d cells: %q", n, width, text)
			}
		}
	}
}
