package record

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

func TailCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "tail",
		Usage: "show the last entries of the log; -f follows it",
		Description: "Prints one line an entry. Of a tool call it shows only the end, or the start if 5 seconds have\n" +
			"passed without an end. Sub-agents are indented under their parent.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "follow new entries, across rotation"},
			&cli.IntFlag{Name: "n", Usage: "begin with the last `N` lines (default 20, with --since all)"},
		}, append(scope.FilterFlags(),
			&cli.BoolFlag{Name: "json", Usage: "print entries as JSON lines, starts of calls too"},
			&cli.BoolFlag{Name: "raw", Usage: "print entries as they are in the log: a JSON line and a line for people"},
		)...),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn tail -f  # watch every session of the project",
			"aburn tail -n 50 --session 5b0c2f91",
			"aburn tail --event TOOL_FAILED --since 24h",
			"aburn tail -f --json | jq .data.tool",
		),
		Action: a.Action(runTail),
	}
}

func runTail(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	now := time.Now()
	f, err := scope.ReadFilter(a, cmd, now)
	if err != nil {
		return err
	}
	n := cmd.Int("n")
	switch {
	case n < 0:
		return fault.Usage("-n: must not be negative")
	case !cmd.IsSet("n") && f.Since.IsZero():
		n = 20
	case !cmd.IsSet("n"):
		n = math.MaxInt
	}
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	p := scope.NewPrinter(cmd, a.Screen(cmd))
	t := &tailer{filter: f, print: p.Print}
	if p.Form == entries.People {
		t.print = (&resolutions{}).once(p.Print)
	}
	t.calls.all = p.Form != entries.People || slices.Contains(f.Events, logfmt.ToolStart)
	from, err := t.last(w.Log, n, now)
	w.WarnDamage(a.Warn)
	if segments, listed := w.Log.Segments(); listed == nil && len(segments) == 0 && p.Form == entries.People {
		a.Note(workspace.NothingRecorded + ": " + workspace.AskDoctor)
	}
	if err != nil || !cmd.Bool("follow") {
		return err
	}
	return t.follow(ctx, w.Log, from)
}

// LastLines are the JSON lines of the newest n entries, the oldest first, as `aburn tail --json` prints them. It searches only
// the last most bytes of the log.
func LastLines(c *workspace.Caller, n int, most int64) (lines [][]byte, err error) {
	w, err := workspace.Open(c)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	t := &tailer{filter: &entries.Filter{}, most: most}
	t.calls.all = true
	t.print = func(r entries.Record, _ time.Time) error {
		lines = append(lines, plain.AppendJSON(nil, r.Line))
		return nil
	}
	_, err = t.last(w.Log, n, c.Now)
	w.WarnDamage(c.Warn)
	return lines, err
}

type tailer struct {
	filter *entries.Filter
	most   int64 // how many bytes of the log to search for the last lines; 0 for all
	seen   logfmt.Deduper
	calls  calls
	print  func(entries.Record, time.Time) error
}

// last prints the last n lines and returns the position behind them.
func (t *tailer) last(log *journal.Journal, n int, now time.Time) (from journal.Position, err error) {
	var found []entries.Record
	first := true
	t.calls.ended = map[callKey]bool{}
	defer func() { t.calls.ended = nil }() // forwards, starts come first
	for line, err := range log.Backward(journal.BackwardOptions{Limit: t.most}) {
		if err != nil {
			return from, err
		}
		if first {
			from, first = line.Next(), false
		}
		if len(found) >= n {
			break
		}
		if r, ok := t.wanted(line.JSON); ok && t.calls.backward(&r, now) {
			found = append(found, r)
		}
	}
	for _, r := range slices.Backward(found) {
		if err := t.print(r, now); err != nil {
			return from, err
		}
	}
	return from, nil
}

// wanted parses a line if its id is new and its header passes the filter.
func (t *tailer) wanted(line []byte) (entries.Record, bool) {
	h, ok := logfmt.ParseHeader(line)
	if !ok || t.seen.SeenBytes(h.ID) {
		return entries.Record{}, false
	}
	return t.chosen(line, &h)
}

// chosen parses a line whose header passes the filter. It also registers the end of a call that is not shown. CHECKPOINTs are
// shown only on request.
func (t *tailer) chosen(line []byte, h *logfmt.Header) (entries.Record, bool) {
	shown := t.filter.Match(h) && (t.calls.all || len(t.filter.Events) > 0 || logfmt.Event(h.Event) != logfmt.Checkpoint)
	if !shown && !(t.filter.MatchSession(h.Session) && endsCall(logfmt.Event(h.Event))) {
		return entries.Record{}, false
	}
	e, err := logfmt.Parse(line)
	if err == nil && !shown {
		t.calls.end(&e)
	}
	return entries.Record{Entry: e, Line: slices.Clone(line)}, err == nil && shown
}

// follow prints new entries until ctx is done. If the log was replaced or truncated meanwhile, it goes on with the entries of
// the new one that it has not seen.
func (t *tailer) follow(ctx context.Context, log *journal.Journal, from journal.Position) error {
	for {
		err := t.followFrom(ctx, log, from)
		if !errors.Is(err, journal.ErrPosition) {
			return err
		}
		if from, err = t.catchUp(log); err != nil {
			return err
		}
	}
}

// catchUp prints the entries behind the newest one that was seen, and returns the position behind them.
func (t *tailer) catchUp(log *journal.Journal) (from journal.Position, err error) {
	var lines [][]byte
	for line, err := range log.Backward(journal.BackwardOptions{}) {
		if err != nil {
			return from, err
		}
		if len(lines) == 0 {
			from = line.Next()
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if ok && t.seen.SeenBytes(h.ID) {
			break
		}
		lines = append(lines, slices.Clone(line.JSON))
	}
	now := time.Now()
	for _, line := range slices.Backward(lines) {
		h, ok := logfmt.ParseHeader(line)
		if !ok {
			continue
		}
		if r, ok := t.chosen(line, &h); ok && t.calls.forward(r, now) {
			if err := t.print(r, now); err != nil {
				return from, err
			}
		}
	}
	return from, nil
}

type arrival struct {
	line []byte
	err  error
}

// followFrom is follow from one position. A goroutine of its own reads, because an overdue start must be shown also when
// nothing is appended.
func (t *tailer) followFrom(ctx context.Context, log *journal.Journal, from journal.Position) error {
	ctx, stop := context.WithCancel(ctx)
	arrivals := make(chan arrival)
	defer func() { // the journal is this goroutine's again
		stop()
		for range arrivals {
		}
	}()
	go func() {
		defer close(arrivals)
		for line, err := range log.Follow(ctx, from) {
			select {
			case arrivals <- arrival{slices.Clone(line.JSON), err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var show []entries.Record
		now := time.Now()
		select {
		case got, open := <-arrivals:
			if !open || got.err != nil {
				return got.err
			}
			if r, ok := t.wanted(got.line); ok && t.calls.forward(r, now) {
				show = append(show, r)
			}
		case now = <-tick.C:
			show = t.calls.overdue(now)
		}
		for _, r := range show {
			if err := t.print(r, now); err != nil {
				return err
			}
		}
	}
}

// overdueAfter is how long a start waits for its end before it is shown.
const overdueAfter = 5 * time.Second

// calls holds the starts of calls back until it is known whether they end.
type calls struct {
	all   bool             // show starts like other entries
	ended map[callKey]bool // while reading backwards; forwards the starts come first
	open  []openCall
}

type openCall struct {
	entries.Record
	since time.Time
}

// callKey names a call: clients number them within a session and agent.
type callKey struct {
	session     logfmt.SessionID
	agent, call string
}

func keyOf(e *logfmt.Entry) (callKey, bool) {
	k := callKey{session: e.Session, call: gjson.GetBytes(e.Data, "tool_use_id").String()}
	if e.Agent != nil {
		k.agent = e.Agent.ID
	}
	return k, k.call != ""
}

func endsCall(ev logfmt.Event) bool {
	return ev == logfmt.Tool || ev == logfmt.ToolFailed || ev == logfmt.ToolDenied
}

// backward says whether to show r, while entries are read from the newest to the oldest. A start that is younger than
// overdueAfter waits for its end.
func (c *calls) backward(r *entries.Record, now time.Time) bool {
	k, ok := keyOf(&r.Entry)
	switch {
	case c.all || !ok:
	case endsCall(r.Event):
		c.end(&r.Entry)
	case r.Event == logfmt.ToolStart && c.ended[k]:
		return false
	case r.Event == logfmt.ToolStart:
		r.Open = true
		if age := now.Sub(r.Time); age >= 0 && age < overdueAfter {
			c.open = append(c.open, openCall{*r, r.Time})
			return false
		}
	}
	return true
}

// forward is backward for appended entries: a start always waits from now on, because clocks may differ.
func (c *calls) forward(r entries.Record, now time.Time) bool {
	_, ok := keyOf(&r.Entry)
	switch {
	case c.all || !ok:
	case r.Event == logfmt.ToolStart:
		r.Open = true
		c.open = append(c.open, openCall{r, now})
		return false
	case endsCall(r.Event):
		c.end(&r.Entry)
	}
	return true
}

func (c *calls) end(e *logfmt.Entry) {
	k, ok := keyOf(e)
	if c.all || !ok {
		return
	}
	if c.ended != nil {
		c.ended[k] = true
	}
	c.open = slices.DeleteFunc(c.open, func(o openCall) bool {
		other, _ := keyOf(&o.Entry)
		return other == k
	})
}

// overdue removes the starts that have waited long enough, and returns them.
func (c *calls) overdue(now time.Time) (due []entries.Record) {
	c.open = slices.DeleteFunc(c.open, func(o openCall) bool {
		late := now.Sub(o.since) >= overdueAfter
		if late {
			due = append(due, o.Record)
		}
		return late
	})
	return due
}

// resolutions are the issues that were shown as resolved, by signature. The log has an entry for the advice about an issue and one for the
// user's notification of it; people read once that it is resolved.
type resolutions struct{ shown map[string]bool }

// once prints entries, but for a second one about the same resolution.
func (r *resolutions) once(print func(entries.Record, time.Time) error) func(entries.Record, time.Time) error {
	r.shown = map[string]bool{}
	return func(e entries.Record, now time.Time) error {
		signature := gjson.GetBytes(e.Data, "signature").String()
		switch {
		case signature == "":
		case e.Event != logfmt.Resolved:
			delete(r.shown, signature) // it is open again
		case r.shown[signature]:
			return nil
		default:
			r.shown[signature] = true
		}
		return print(e, now)
	}
}
