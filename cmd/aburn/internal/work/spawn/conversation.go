package spawn

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	xterm "golang.org/x/term"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/headless"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/slot"
)

// conversation is a person in front of a worker without a terminal.
type conversation struct {
	a    *kit.App
	out  *term.Out
	ch   headless.Channel
	h    slot.Handle
	name string
	next int64 // of the story
}

// converse shows what was said and goes on, until the person leaves or the agent ends.
func converse(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, m *manager.Member, ch headless.Channel, h slot.Handle) error {
	c := &conversation{a: a, out: a.Screen(cmd), ch: ch, h: h, name: m.Name}
	for gen := 1; gen < h.Gen; gen++ { // those before an end; one in a terminal has no lines
		if _, _, err := ch.Story(slot.Handle{Dir: h.Dir, Gen: gen}, 0, c.passage); err != nil {
			return fault.Failed(err.Error())
		}
	}
	if err := c.tell(); err != nil {
		return fault.Failed(err.Error())
	}
	here := xterm.IsTerminal(int(os.Stdin.Fd()))
	if m.Over() || cmd.Bool("read-only") && !here {
		return c.end(m)
	}
	lines := make(chan string)
	if !cmd.Bool("read-only") {
		go read(a.Stdin, lines)
	}
	for {
		held, err := hold.Held(h.Dir, h.Gen) // before what it said is read
		if _, lerr := ch.Look(h); lerr != nil {
			return fault.Failed(lerr.Error())
		}
		if err := c.tell(); err != nil {
			return fault.Failed(err.Error())
		}
		if err == nil && !held {
			if m, err = o.Member(ctx, m.Name); err != nil {
				return err
			}
			return c.end(m)
		}
		select {
		case line, more := <-lines:
			if !more {
				return nil
			}
			c.say(ctx, line)
		case <-ctx.Done():
			return nil
		case <-time.After(150 * time.Millisecond):
		}
	}
}

func (c *conversation) end(m *manager.Member) error {
	if m.Over() {
		c.a.Note(m.Name + ": " + describe.EndText(m))
	}
	if text := strings.TrimSpace(hold.Errs(c.h.Dir, c.h.Gen)); m.Over() && text != "" {
		c.a.Note(plain.Text(text))
	}
	return nil
}

func read(from io.Reader, lines chan<- string) {
	defer close(lines)
	s := bufio.NewScanner(from)
	for s.Scan() {
		if line := strings.TrimSpace(s.Text()); line != "" {
			lines <- line
		}
	}
}

// tell prints what was said since the last time.
func (c *conversation) tell() error {
	next, lost, err := c.ch.Story(c.h, c.next, func(at time.Time, p slot.Passage) { c.passage(at, p) })
	if lost {
		c.a.Note("what was said before is no longer kept here; the agent's own session has it: aburn show")
	}
	c.next = next
	return err
}

// maxPassage is how much of a call's result is shown, in lines.
const maxPassage = 6

func (c *conversation) passage(at time.Time, p slot.Passage) {
	text := strings.TrimSpace(plain.Text(p.Text))
	if text == "" {
		return
	}
	sign := map[string]string{"person": "> ", "agent": "", "tool": "* ", "result": "  ", "asks": "? ", "note": "! "}[p.Who]
	rows := strings.Split(text, "\n")
	if p.Who == "result" && len(rows) > maxPassage {
		rows = append(rows[:maxPassage], fmt.Sprintf("(%d more lines)", len(rows)-maxPassage))
	}
	fmt.Fprintln(c.out, sign+strings.Join(rows, "\n"+strings.Repeat(" ", len(sign))))
	if p.Who == "asks" {
		c.a.Hint("/allow, or /deny TEXT; elsewhere: aburn answer " + c.name + " allow|deny")
	}
}

// deliverTime is how long an agent may take to say that it has a message.
const deliverTime = 30 * time.Second

// say does what a typed line asks for.
func (c *conversation) say(ctx context.Context, line string) {
	word, text, _ := strings.Cut(line, " ")
	ctx, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	var err error
	switch word {
	case "/allow", "/deny":
		_, err = control.Answer(ctx, c.ch, c.h, "", word == "/allow", strings.TrimSpace(text))
	case "/interrupt":
		var ran bool
		if ran, err = c.ch.Interrupt(ctx, c.h); err == nil && !ran {
			err = errors.New("no turn runs")
		}
	default:
		_, err = c.ch.Deliver(ctx, c.h, slot.Message{ID: "p-" + rand.Text(), Text: line})
	}
	if err != nil {
		c.a.Warn(err.Error())
	}
}
