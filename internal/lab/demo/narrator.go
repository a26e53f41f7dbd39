package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/term"
)

// narrator writes what stands between the outputs of aburn itself.
type narrator struct {
	out   *term.Out
	steps bool // wait for Enter before each step
}

func newNarrator() narrator { return narrator{out: term.New(os.Stdout, os.Getenv, false)} }

// interactive reports whether somebody sits at a terminal, to read and to press Enter.
func (n narrator) interactive() bool {
	in, err := os.Stdin.Stat()
	return n.out.Terminal() && err == nil && in.Mode()&os.ModeCharDevice != 0
}

// pause waits for Enter where the reader goes step by step.
func (n narrator) pause() {
	if !n.steps {
		return
	}
	fmt.Fprintf(n.out, "\n  %s", n.out.Paint(term.Dim, "[Enter continues]"))
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		fmt.Fprintln(n.out)
	}
}

func (n narrator) doing(what string) { fmt.Fprintf(n.out, "  %s\n", what) }

func (n narrator) title(text string) {
	fmt.Fprintf(n.out, "\n  %s\n", n.out.Paint(term.Bold, text))
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
	fmt.Fprintf(n.out, "  %s\n", n.out.Paint(term.Dim, "$ "+command))
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

// next are the commands for the reader's own agents. more shows more of the demo, "" where all was shown.
func (n narrator) next(more string) {
	list := []string{"make install", "aburn cost", "cd your-project && aburn install-hooks", "go run ./cmd/aburn web --demo  # the demo in your browser"}
	if more != "" {
		list = append(list, more+"  # all of it here")
	}
	n.tips("Now with your own agents:", list...)
	fmt.Fprintln(n.out)
}
