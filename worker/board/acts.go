package board

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// Wish is what a person asks of a worker on its page. Each does what the command of its name does.
type Wish struct {
	Do        string `json:"do"`      // send, answer, interrupt, kill, merge, cleanup, restore
	Project   string `json:"project"` // its key
	Worker    string `json:"worker"`
	Text      string `json:"text"`      // send; answer
	ID        string `json:"id"`        // answer: the question
	Allow     bool   `json:"allow"`     // answer
	Interrupt bool   `json:"interrupt"` // send: end the turn first
}

// Deed is what became of a wish, in words. With Ask nothing was done yet: it says what would be, and the person has to be sure.
type Deed struct {
	Text  string   `json:"text"`
	Lines []string `json:"lines,omitempty"`
	OK    bool     `json:"ok"`
	Ask   bool     `json:"ask,omitempty"`
	Head  string   `json:"head,omitempty"` // with Ask of a merge: the commit that it is about

	Seen manager.Seen `json:"-"` // with Ask: what it was asked about
}

// pageWait is how long a message from a page waits for the agent's own record.
const pageWait = 10 * time.Second

// Do does what a wish asks for. What cannot be taken back is only looked at, unless the person is sure of what they have seen.
func (b *Board) Do(ctx context.Context, w Wish, sure bool, seen manager.Seen) (d Deed, err error) {
	o, m, err := b.member(ctx, w.Project, w.Worker)
	if err != nil {
		return d, err
	}
	defer o.Close()
	if b.recorded {
		return Deed{Text: "This worker is only a recording, so nothing happens."}, nil
	}
	var said bytes.Buffer
	x := &act{Project: o, restarts: b.restarts, out: &said, a: fault.Plain{W: &said}, m: m, Wish: w, sure: sure, seen: seen}
	do := map[string]func(context.Context) (Deed, error){
		"send": x.send, "answer": x.answer, "interrupt": x.interrupt, "kill": x.kill, "merge": x.merge, "cleanup": x.cleanup, "resume": x.resume,
	}[w.Do]
	if do == nil {
		return d, fault.Usage("a page cannot ask for that")
	}
	d, err = do(ctx)
	for line := range strings.Lines(said.String()) {
		if line = strings.TrimSpace(line); line != "" {
			d.Lines = append(d.Lines, scrubLine(line))
		}
	}
	b.soil(o.Root)
	return d, err
}

// act is one wish at one worker.
type act struct {
	*projects.Project
	out io.Writer      // what a command would say
	a   fault.Reporter // and what beside its answer
	m   *manager.Member
	Wish
	restarts RestartFunc
	sure     bool
	seen     manager.Seen // of what they are sure
}

func (x *act) send(ctx context.Context) (d Deed, err error) {
	text, err := control.CheckMessage(x.Text)
	if err != nil {
		return d, err
	}
	text, secrets := scrub.Text(text)
	if x.Wish.Interrupt && x.m.Worker.Delivery() != worker.ByKeys {
		if err := control.Interrupt(ctx, x.Project.Manager, x.m); err != nil {
			return Deed{Text: "not sent: its turn was not ended: " + err.Error()}, nil
		}
	}
	r, err := x.sendPage(ctx, text)
	if err != nil {
		return d, fault.Failed("not sent: " + err.Error())
	}
	if secrets > 0 {
		d.Lines = append(d.Lines, plain.Plural(int64(secrets), "secret was", "secrets were")+" taken out of the text")
	}
	switch d.OK = r.State == manager.Accepted || r.State == manager.Waits; r.State {
	case manager.Accepted:
		d.Text = "It has the message (" + r.ID + ")."
	case manager.Waits:
		d.Text = "The message waits (" + r.ID + "): " + r.Why
	case manager.Unconfirmed:
		d.Text = "aburn can't tell whether it has the message (" + r.ID + "), and it is not typed again: " + r.Why
	default:
		d.Text = "Not sent: " + r.Why
	}
	return d, nil
}

func (x *act) sendPage(ctx context.Context, text string) (manager.Sent, error) {
	msg, options := manager.Message{Text: text}, manager.SendOptions{Wait: pageWait}
	if x.m.IsRemote() {
		return control.SendRemote(ctx, x.Project.Manager, x.m, msg, options), nil
	}
	return manager.Send(ctx, x.Project.Manager, x.m.Name, msg, options)
}

func (x *act) answer(ctx context.Context) (d Deed, err error) {
	ch, h, ok := x.Channel(x.m)
	switch {
	case x.m.Over():
		return d, fault.Failed("it has ended: " + describe.StateText(x.m))
	case !ok:
		return d, fault.Failed("it is waiting in its terminal", "aburn attach "+x.m.Name)
	}
	q, err := control.Answer(ctx, ch, h, x.ID, x.Allow, x.Text)
	if err != nil {
		return d, describe.AnswerFailure(x.m, err)
	}
	return Deed{Text: map[bool]string{true: "Allowed: ", false: "Denied: "}[x.Allow] + q.What, OK: true}, nil
}

func (x *act) interrupt(ctx context.Context) (d Deed, err error) {
	switch err := control.Interrupt(ctx, x.Project.Manager, x.m); {
	case errors.Is(err, manager.ErrOver):
		return d, fault.Failed("its agent has ended already")
	case err != nil:
		return d, fault.Failed(err.Error(), "aburn attach "+x.m.Name)
	}
	return Deed{Text: "Its turn is over.", OK: true}, nil
}

func (x *act) kill(ctx context.Context) (d Deed, err error) {
	if !x.sure {
		return Deed{Ask: true, Text: "End the agent of " + x.m.Name + " and all that it started? It is " + describe.StateText(x.m) +
			". Its tree, branch and conversation stay; a running turn is lost."}, nil
	}
	now, err := control.Kill(ctx, x.Project.Manager, x.m)
	switch {
	case errors.Is(err, manager.ErrOver):
		return Deed{Text: "It had ended already: " + describe.StateText(x.m), OK: true}, nil
	case err != nil:
		return d, fault.Failed(err.Error())
	}
	return Deed{Text: describe.StateText(now) + describe.LeftText(now) + ".", OK: true}, nil
}

func (x *act) merge(ctx context.Context) (d Deed, err error) {
	repo, err := manager.Repository(ctx, x.Project.Manager, x.Root)
	if err != nil {
		return d, err
	}
	if x.m.IsRemote() {
		if x.m, _, err = control.FetchWork(ctx, x.Project.Manager, repo, x.m); err != nil {
			return d, fault.Failed("its machine did not give its branch: " + err.Error())
		}
	}
	options := manager.MergeOptions{Check: !x.sure, Seen: x.seen}
	if err := projects.MergeDefaults(x.Project, x.a, x.m, &options); err != nil {
		return d, err
	}
	r, err := manager.MergeBranch(ctx, x.Project.Manager, repo, x.m, options)
	if err != nil {
		return d, describe.MergeFailure(x.m, err)
	}
	if err := describe.MergeText(x.out, x.a, x.m, r); err != nil {
		return d, err
	}
	switch {
	case len(r.Conflicts) > 0:
		return Deed{Text: "It conflicts; nothing was touched."}, nil
	case r.How == manager.HowAlready:
		return Deed{Text: "There is nothing to merge.", OK: true}, nil
	case !x.sure:
		text := fmt.Sprintf("Merge %s into %s?", x.m.Name, r.Into)
		if n := len(options.Gates.Run); n > 0 {
			text += " Its gates run first: " + strings.Join(options.Gates.Run, "; ") + "."
		}
		return Deed{Ask: true, Text: text, Head: r.Head, Seen: manager.Seen{Head: r.Head, Into: r.Into}}, nil
	}
	return Deed{Text: "Merged into " + r.Into + ".", OK: true}, nil
}

func (x *act) cleanup(ctx context.Context) (d Deed, err error) {
	options := manager.CleanupOptions{DryRun: !x.sure, Preserve: true}
	r := control.CleanupOne(ctx, x.Project.Manager, x.m, options)
	describe.CleanupText(x.out, x.a, []manager.Cleanup{r}, options)
	switch {
	case !r.Removed:
		return Deed{Text: "Its tree stays."}, nil
	case !x.sure:
		return Deed{Ask: true, Text: "Remove the tree of " + x.m.Name + "? What no commit has is kept in a snapshot first."}, nil
	}
	return Deed{Text: "Its tree is removed.", OK: true}, nil
}

func (x *act) resume(ctx context.Context) (d Deed, err error) {
	now, lacks, err := x.restarts(ctx, x.Project, x.a, x.m)
	if err != nil {
		return d, err
	}
	d = Deed{Text: now.Name + " resumed · " + now.Request.Agent + " · " + now.Request.Via, OK: true}
	if len(lacks) > 0 {
		d.Text += " · without " + strings.Join(lacks, ", ") + ", which only your shell may have: aburn resume there"
	}
	return d, nil
}

// scrubLine is a line of somebody else's for a page.
func scrubLine(text string) string {
	text, _ = scrub.Text(plain.Line(text))
	return text
}
