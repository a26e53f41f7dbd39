package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/term"
)

// narrator writes what stands between the outputs of aburn itself.
type narrator struct{ out *term.Out }

func newNarrator() narrator { return narrator{term.New(os.Stdout, os.Getenv, false)} }

func (n narrator) title(text string) {
	fmt.Fprintf(n.out, "\n  %s\n  %s\n\n", n.out.Paint(term.Bold, text), n.out.Paint(term.Dim, strings.Repeat("─", len(text))))
}

func (n narrator) done(what string, took time.Duration) {
	fmt.Fprintf(n.out, "  %s %s %s\n", n.out.Paint(term.Green, "✓"), what, n.out.Paint(term.Dim, "("+plain.Duration(took)+")"))
}

func (n narrator) heading(why, command string) {
	if why == "" {
		fmt.Fprintf(n.out, "  %s\n", n.out.Paint(term.Dim, "$ "+command))
		return
	}
	n.why(why)
	fmt.Fprintf(n.out, "  %s\n\n", n.out.Paint(term.Dim, "$ "+command))
}

func (n narrator) why(text string) {
	fmt.Fprintln(n.out)
	for _, line := range n.out.Fold(text, 2) {
		fmt.Fprintf(n.out, "  %s\n", n.out.Paint(term.Bold, line))
	}
}

// handed shows the text that the agent got.
func (n narrator) handed(text string) {
	n.why("The user types \"Try again\", and with this prompt the agent gets, from the hook, once:")
	fmt.Fprintln(n.out)
	for all := range strings.Lines(text) {
		for _, line := range n.out.Fold(strings.TrimSuffix(all, "\n"), 4) {
			fmt.Fprintf(n.out, "  %s %s\n", n.out.Paint(term.Dim, "│"), line)
		}
	}
}

// tips are commands that one would type next.
func (n narrator) tips(title string, lines ...string) {
	fmt.Fprintf(n.out, "\n  %s\n", n.out.Paint(term.Bold, title))
	for _, line := range lines {
		fmt.Fprintf(n.out, "  %s\n", n.out.Paint(term.Dim, "$ ")+line)
	}
}

func (n narrator) next() {
	n.tips("Now with your own agent:", "make install", "cd your-project && aburn install-hooks", "aburn tail -f", "aburn supervisor watch",
		"aburn ingest && aburn report", "aburn web")
	fmt.Fprintf(n.out, "\n  %s\n  %s\n\n", n.out.Paint(term.Bold, "Or look at recorded sessions in your browser, with nothing installed:"),
		n.out.Paint(term.Dim, "$ ")+"go run ./cmd/aburn web --demo")
}
