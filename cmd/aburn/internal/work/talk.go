package work

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
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/worker"
	"aburn/worker/crew"
	"aburn/worker/headless"
	"aburn/worker/slot"
)

func AnswerCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "answer",
		Usage:     "answer what a worker without a terminal asks",
		ArgsUsage: "NAME allow|deny",
		Description: "An agent without a terminal waits for an answer for as long as it takes. `aburn ps NAME` shows what it asks. An answer is\n" +
			"given once, to one question.\n\n" +
			"A worker in a terminal asks there: `aburn attach NAME`.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "text", Usage: "tell the agent `TEXT` with the answer, such as what to do instead"},
			&cli.StringFlag{Name: "id", Usage: "answer the question `ID`, if there are several"},
		},
		ArgValidator: func(_ context.Context, cmd *cli.Command) error {
			if word := cmd.Args().Get(1); cmd.NArg() != 2 || word != "allow" && word != "deny" {
				return kit.UsageError("name a worker, and say allow or deny", "aburn ps", cmd.FullName()+" --help")
			}
			return nil
		},
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn answer fix-flaky-test allow", `aburn answer fix deny --text "only in the tests"`),
		Action:        a.Action(runAnswer),
	}
}

// answerTime is how long an agent may take to say that it has an answer.
const answerTime = 30 * time.Second

func runAnswer(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := personOnly(a, "answer for the person"); err != nil {
		return err
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	m, err := o.member(ctx, cmd.Args().First())
	if err != nil {
		return err
	}
	ch, h, ok := o.Channel(m)
	switch {
	case m.Over():
		return kit.BadNews(m.Name+" has ended: "+stateText(m), "aburn ps "+m.Name)
	case !ok:
		return kit.BadNews(m.Name+" asks in its terminal", "aburn attach "+m.Name)
	}
	q, err := answer(ctx, ch, h, cmd.String("id"), cmd.Args().Get(1) == "allow", cmd.String("text"))
	if err != nil {
		return answerFailure(m, err)
	}
	_, err = fmt.Fprintln(a.Stdout, plain.Line(m.Name+"  "+map[bool]string{true: "allowed: ", false: "denied: "}[cmd.Args().Get(1) == "allow"]+q.What))
	return err
}

func answer(ctx context.Context, ch headless.Channel, h slot.Handle, id string, allow bool, text string) (slot.Question, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return ch.Answer(ctx, h, id, allow, text)
}

func answerFailure(m *crew.Member, err error) error {
	switch {
	case errors.Is(err, headless.ErrNoQuestion) && m.Worker.Reason == worker.AwaitingUser && m.Said != "":
		return kit.BadNews(m.Name+" asked with aburn ask, and goes on with what it is told", "aburn send "+m.Name+" TEXT")
	case errors.Is(err, headless.ErrNoQuestion):
		return kit.BadNews(m.Name+" does not ask that, or not any more", "aburn ps "+m.Name)
	case errors.Is(err, headless.ErrSeveral):
		return kit.UsageError(m.Name+" asks several things", "aburn ps "+m.Name, "aburn answer --id ID")
	case errors.Is(err, hold.ErrGone):
		return kit.BadNews(m.Name+" has ended", "aburn ps "+m.Name)
	case errors.Is(err, context.DeadlineExceeded):
		return kit.BadNews("the agent was given the answer, and has not said that it has it", "aburn ps "+m.Name)
	}
	return kit.BadNews(m.Name+": "+err.Error(), "aburn ps "+m.Name)
}

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
func (o *office) converse(ctx context.Context, a *kit.App, cmd *cli.Command, m *crew.Member, ch headless.Channel, h slot.Handle) error {
	c := &conversation{a: a, out: a.Screen(cmd), ch: ch, h: h, name: m.Name}
	for gen := 1; gen < h.Gen; gen++ { // those before an end; one in a terminal has no lines
		if _, _, err := ch.Story(slot.Handle{Dir: h.Dir, Gen: gen}, 0, c.passage); err != nil {
			return kit.BadNews(err.Error())
		}
	}
	if err := c.tell(); err != nil {
		return kit.BadNews(err.Error())
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
			return kit.BadNews(lerr.Error())
		}
		if err := c.tell(); err != nil {
			return kit.BadNews(err.Error())
		}
		if err == nil && !held {
			if m, err = o.member(ctx, m.Name); err != nil {
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

func (c *conversation) end(m *crew.Member) error {
	if m.Over() {
		c.a.Note(m.Name + ": " + endText(m))
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
		_, err = answer(ctx, c.ch, c.h, "", word == "/allow", strings.TrimSpace(text))
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
