package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/cmd/aburn-push/internal/figures"
	"aburn/cmd/aburn-push/internal/postgres"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// digests are those of all sessions in the archive.
func (o *options) digests(ctx context.Context, progress func(done, total int)) ([]digests.Session, error) {
	o.PauseGC()
	list, err := digests.Load(ctx, o.archive, archive.Filter{}, progress)
	var none *archive.NotFound
	var unread *digests.Unreadable
	switch {
	case errors.As(err, &none):
		return nil, fault.Usage("no archive yet in "+none.Dir, none.Hint())
	case errors.As(err, &unread):
		if !o.warned {
			o.Warn("left out of the sessions: "+unread.Error(), unread.Hint())
		}
		o.warned, err = true, nil
	}
	return list, err
}

// rows makes the rows of this machine out of its archive.
func (o *options) rows(ctx context.Context, key []byte) (*figures.Rows, error) {
	list, err := o.digests(ctx, nil)
	if err != nil {
		return nil, err
	}
	arch, err := archive.View(ctx, o.archive)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	outlines, err := arch.Outlines(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	in := figures.Input{Archived: make(map[int64]archive.Outline, len(outlines)), Sessions: make([]*insight.Digest, len(list))}
	for i := range list {
		in.Sessions[i] = list[i].Digest
	}
	for _, s := range outlines {
		in.Archived[s.Key] = s
	}
	in.Answers = func(each func(int64, []archive.Answer) error) error {
		return arch.EachAnswers(ctx, func(key int64) bool { return in.Archived[key].Key != 0 }, each)
	}
	m := figures.Maker{Names: &o.names, Zone: o.zone, Prices: o.prices, Key: key}
	return m.Make(in)
}

// push sends the rows.
func (o *options) push(ctx context.Context) error {
	target, err := o.target()
	if err != nil {
		return err
	}
	if err := o.someNames(ctx); err != nil {
		return err
	}
	// New sessions are looked at before a transaction waits for that: the first time it can take minutes.
	meter := &meter{out: term.New(o.Stderr, o.Getenv, true)}
	if _, err := o.digests(ctx, meter.looked); err != nil {
		return err
	}
	meter.clear()
	machine, err := o.agreed(target)
	if err != nil {
		return err
	}
	db, err := target.Connect(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	var rows *figures.Rows
	sent, err := db.Push(ctx, postgres.Push{
		Machine: machine.ID, Person: o.person, Aburn: kit.Version().String(), Since: o.since, Progress: meter.sent,
		Rows: func() (_ *figures.Rows, err error) {
			rows, err = o.rows(ctx, machine.Key())
			return rows, err
		},
	})
	meter.clear()
	if err != nil {
		if ctx.Err() != nil {
			return fault.Failed("stopped: nothing was changed")
		}
		return err
	}
	return o.report(target, sent, rows)
}

// report says what was sent, and what was left out.
func (o *options) report(target *postgres.Target, sent *postgres.Sent, rows *figures.Rows) error {
	if o.cmd.Bool("json") {
		return o.PrintJSON(struct {
			Database string `json:"database"`
			*postgres.Sent
			LeftOut int `json:"sessions_left_out"`
		}{target.Name, sent, leftOut(rows)})
	}
	text := "nothing is new"
	if sent.Days+sent.Gone > 0 {
		text = "sent " + plain.Plural(int64(sent.Days), "day") + " (" + plain.Plural(int64(sent.Rows), "row") + ")"
	}
	if sent.Gone > 0 {
		text += ", removed " + plain.Plural(int64(sent.Gone), "day") + " that this machine no longer has"
	}
	fmt.Fprintf(o.Stdout, "%s: %s; %s were there already\n", target.Name, text, plain.Plural(int64(sent.Unchanged), "day"))
	o.noteLeftOut(rows)
	return nil
}

func leftOut(rows *figures.Rows) (n int) {
	for _, k := range rows.LeftOut {
		n += k
	}
	return n
}

// noteLeftOut says which projects have no name, and so are not sent.
func (o *options) noteLeftOut(rows *figures.Rows) {
	if n := leftOut(rows); n > 0 {
		o.Note(plain.Plural(int64(n), "session") + " of " + plain.Plural(int64(len(rows.LeftOut)), "project") + " without a name are left out")
		o.Hint(projectHints(rows, 3)...)
	}
}

// projectHints are the flags that would send the projects with most sessions.
func projectHints(rows *figures.Rows, most int) (hints []string) {
	keys := slices.SortedFunc(maps.Keys(rows.LeftOut), func(a, b string) int {
		if d := rows.LeftOut[b] - rows.LeftOut[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, key := range keys {
		if key != "" && len(hints) < most {
			hints = append(hints, "--project "+key+"=NAME  # "+plain.Plural(int64(rows.LeftOut[key]), "session"))
		}
	}
	return hints
}

// someNames is the error where no project has a name: nothing could be sent.
func (o *options) someNames(ctx context.Context) error {
	if len(o.names.Lines()) > 0 {
		return nil
	}
	rows, err := o.rows(ctx, nil)
	if err != nil {
		return err
	}
	return fault.Usage("no project is named, so that nothing would be sent", append(projectHints(rows, 5), `or "projects" in `+ConfigFile)...)
}

// agreed returns this machine if a person permitted to send these projects to this place.
func (o *options) agreed(target *postgres.Target) (*figures.Machine, error) {
	what := slices.Concat([]string{target.Name, o.person}, o.names.Lines())
	sum := sha256.Sum256([]byte(strings.Join(what, "\n")))
	hash := hex.EncodeToString(sum[:])
	machine, err := figures.Update(o.archive, func(*figures.Machine) {})
	if err != nil || machine.Agrees(hash) {
		return machine, err
	}
	if !o.cmd.Bool("yes") {
		if o.cmd.Bool("json") || !o.CanAsk(o.cmd) {
			return nil, fault.Usage("nobody has permitted yet to send these projects to "+target.Name,
				"run it once in a terminal, or add --yes", "--dry-run prints every row")
		}
		fmt.Fprintf(o.Stdout, "aburn sends to %s:\n  numbers by day, session and error, of\n", plain.Line(target.Name))
		for _, line := range o.names.Lines() {
			fmt.Fprintln(o.Stdout, "  -", plain.Line(line))
		}
		fmt.Fprintln(o.Stdout, "  "+map[bool]string{true: "without your name", false: "as " + o.person}[o.person == ""]+
			"; no text, no path. --dry-run prints every row.")
		if !o.Confirm("send?") {
			return nil, fault.Failed("nothing was sent")
		}
	}
	return figures.Update(o.archive, func(m *figures.Machine) { m.Agree(hash) })
}

// forget deletes this machine's rows.
func (o *options) forget(ctx context.Context) error {
	target, err := o.target()
	if err != nil {
		return err
	}
	machine, err := figures.ReadMachine(o.archive)
	if err != nil {
		return err
	}
	if !o.cmd.Bool("yes") {
		if !o.CanAsk(o.cmd) {
			return fault.Usage("this deletes all rows of this machine from "+target.Name, "add --yes")
		}
		if !o.Confirm("delete all rows of this machine from " + plain.Line(target.Name) + "?") {
			return fault.Failed("nothing was deleted")
		}
	}
	db, err := target.Connect(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	n, err := db.Forget(ctx, machine.ID)
	switch {
	case err != nil:
		return err
	case n == 0:
		fmt.Fprintln(o.Stdout, target.Name+" has no rows of this machine")
	default:
		fmt.Fprintln(o.Stdout, target.Name+": deleted all rows of this machine")
	}
	return nil
}

// init makes the tables.
func (o *options) init(ctx context.Context) error {
	target, err := o.target()
	if err != nil {
		return err
	}
	db, err := target.Connect(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	done, err := db.Init(ctx, postgres.Setup{Machines: o.cmd.StringSlice("add-machine"), Leads: o.cmd.StringSlice("add-lead"), Prices: o.prices.AllRates()})
	if err != nil {
		return err
	}
	if o.cmd.Bool("json") {
		return o.PrintJSON(done)
	}
	what := map[bool]string{true: "made the tables", false: "renewed rights, views and prices"}[done.From == 0]
	fmt.Fprintf(o.Stdout, "%s: %s, version %d, %s\n", target.Name, what, done.Version, plain.Plural(int64(done.Prices), "price"))
	for _, role := range done.Made {
		o.Hint("the role " + role + " is new and has no password: psql, then \\password " + role)
	}
	return nil
}

// meter shows how many days were sent, on a terminal.
type meter struct {
	out   *term.Out
	width int
}

func (m *meter) sent(done, total int) { m.show(fmt.Sprintf("sent %d of %d days", done, total)) }

func (m *meter) looked(done, total int) {
	m.show(fmt.Sprintf("looking at sessions for the first time: %d of %d", done, total))
}

func (m *meter) show(text string) {
	if m.out.Terminal() {
		fmt.Fprintf(m.out, "\r%-*s", m.width, text)
		m.width = len(text)
	}
}

func (m *meter) clear() {
	if m.width > 0 {
		fmt.Fprintf(m.out, "\r%s\r", strings.Repeat(" ", m.width))
		m.width = 0
	}
}
