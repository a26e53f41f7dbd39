package record

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

func statsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "stats",
		Usage: "count entries and sessions; show the time of hooks",
		Description: "hook is the time of a hook from the start of main until just before the write. lock is the part\n" +
			"of it that waited for the log's lock. Neither contains exec or the write: `aburn doctor --live`\n" +
			"measures whole processes.",
		Flags:        append(scope.FilterFlags(), &cli.IntFlag{Name: "n", Usage: "show the last `N` sessions (default 10)", Value: 10}, kit.JSONFlag()),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn log stats",
			"aburn log stats --since 24h",
			"aburn log stats --json | jq '.events[] | select(.hook_us.p99 > 5000)'",
		),
		Action: a.Action(runStats),
	}
}

func runStats(_ context.Context, a *kit.App, cmd *cli.Command) error {
	now := time.Now()
	f, err := scope.ReadFilter(a, cmd, now)
	if err != nil {
		return err
	}
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	t := newTally()
	if err := t.read(w.Log, f); err != nil {
		return err
	}
	segments, err := w.Log.Segments()
	if err != nil {
		return err
	}
	damaged := w.Log.Stats().Damage
	if cmd.Bool("json") {
		return a.PrintJSON(t.report(w.Root, segments, damaged))
	}
	err = t.show(a.Screen(cmd), w, segments, cmd.Int("n"), now)
	w.WarnDamage(a.Warn)
	return err
}

func (t *tally) show(out *term.Out, w *workspace.Workspace, segments []journal.Segment, n int, now time.Time) error {
	var bytes int64
	for _, s := range segments {
		bytes += s.Size
	}
	fmt.Fprintf(out, "%s\n%s in %s, %s in %s\n", plain.Line(w.Root), plain.Plural(t.entries, "entry", "entries"),
		plain.Plural(int64(len(t.sessions)), "session"), plain.Size(bytes), plain.Plural(int64(len(segments)), "segment"))
	if t.entries == 0 {
		return nil
	}
	fmt.Fprintf(out, "%s to %s\n", localTime(t.first), localTime(t.last))
	if err := t.showEvents(out); err != nil {
		return err
	}
	if err := t.showSessions(out, n, now); err != nil {
		return err
	}
	return t.showSegments(out, segments)
}

func (t *tally) showEvents(out *term.Out) error {
	fmt.Fprintf(out, "\n%s\n", out.Paint(term.Bold, "events, and what the hooks cost"))
	table := term.Table{Columns: []term.Column{
		{Title: "event", Flex: true, Min: 10}, {Title: "source", Flex: true, Min: 6}, {Title: "entries", Right: true},
		{Title: "hook p50", Right: true}, {Title: "p95", Right: true}, {Title: "p99", Right: true},
		{Title: "lock p50", Right: true}, {Title: "p95", Right: true}, {Title: "p99", Right: true},
	}}
	for _, e := range t.inOrder() {
		row := []string{string(e.event), e.source, plain.Count(e.n)}
		for _, c := range []*cost{&e.hook, &e.lock} {
			for _, p := range percentiles {
				row = append(row, c.text(p))
			}
		}
		table.Add(row...)
	}
	return table.Print(out, 2)
}

func (t *tally) showSessions(out *term.Out, n int, now time.Time) error {
	sessions := t.recentSessions()
	if len(sessions) == 0 || n <= 0 {
		return nil
	}
	title := "sessions"
	if len(sessions) > n {
		title = fmt.Sprintf("the last %d of %d sessions", n, len(sessions))
		sessions = sessions[:n]
	}
	fmt.Fprintf(out, "\n%s\n", out.Paint(term.Bold, title))
	table := term.Table{Columns: []term.Column{
		{Title: "session", Flex: true, Min: 8}, {Title: "source"}, {Title: "entries", Right: true}, {Title: "calls", Right: true},
		{Title: "failed", Right: true}, {Title: "began"}, {Title: "last"},
	}}
	for _, s := range sessions {
		table.Add(s.id, s.source, plain.Count(s.n), plain.Count(s.calls), plain.Count(s.failed), localTime(s.first), ageOfTime(now, s.last))
	}
	return table.Print(out, 2)
}

func (t *tally) showSegments(out *term.Out, segments []journal.Segment) error {
	fmt.Fprintf(out, "\n%s\n", out.Paint(term.Bold, "segments"))
	table := term.Table{Columns: []term.Column{
		{Title: "segment"}, {Title: "size", Right: true}, {Title: "entries", Right: true}, {Title: "numbered"},
	}}
	for _, s := range segments {
		in, numbered := t.segments[s.Name], ""
		if in.last > 0 {
			numbered = fmt.Sprintf("%d to %d", in.first, in.last)
		}
		table.Add(s.Name, plain.Size(s.Size), plain.Count(in.n), numbered)
	}
	return table.Print(out, 2)
}

// localTime is a ts of the log in local time, as it is if it is no time.
func localTime(ts []byte) string {
	t, err := time.Parse(time.RFC3339Nano, string(ts))
	if err != nil {
		return string(ts)
	}
	return t.Local().Format("2006-01-02 15:04")
}

// ageOfTime is the age of a ts of the log, "" if it is no time.
func ageOfTime(now time.Time, ts []byte) string {
	t, err := time.Parse(time.RFC3339Nano, string(ts))
	if err != nil {
		return ""
	}
	return plain.Age(now.Sub(t))
}

// statsReport is `aburn log stats --json`.
type statsReport struct {
	Project  string        `json:"project"`
	Entries  int64         `json:"entries"`
	Damaged  int64         `json:"damaged_lines"`
	First    string        `json:"first,omitempty"`
	Last     string        `json:"last,omitempty"`
	Events   []eventJSON   `json:"events"`
	Sessions []sessionJSON `json:"sessions"`
	Segments []segmentJSON `json:"segments"`
}

type eventJSON struct {
	Event  logfmt.Event `json:"event"`
	Source string       `json:"source,omitempty"`
	N      int64        `json:"entries"`
	Hook   *costJSON    `json:"hook_us,omitempty"`
	Lock   *costJSON    `json:"lock_us,omitempty"`
}

type costJSON struct {
	N   int64 `json:"n"`
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

type sessionJSON struct {
	Session string `json:"session"`
	Source  string `json:"source,omitempty"`
	N       int64  `json:"entries"`
	Calls   int64  `json:"calls"`
	Failed  int64  `json:"failed"`
	First   string `json:"first"`
	Last    string `json:"last"`
}

type segmentJSON struct {
	Segment string     `json:"segment"`
	Bytes   int64      `json:"bytes"`
	N       int64      `json:"entries"`
	First   logfmt.Seq `json:"first,omitempty"`
	Last    logfmt.Seq `json:"last,omitempty"`
}

func (t *tally) report(root string, segments []journal.Segment, damaged int64) statsReport {
	r := statsReport{
		Project: root, Entries: t.entries, Damaged: damaged, First: string(t.first), Last: string(t.last),
		Events: []eventJSON{}, Sessions: []sessionJSON{}, Segments: []segmentJSON{},
	}
	for _, e := range t.inOrder() {
		r.Events = append(r.Events, eventJSON{e.event, e.source, e.n, e.hook.json(), e.lock.json()})
	}
	for _, s := range t.recentSessions() {
		r.Sessions = append(r.Sessions, sessionJSON{s.id, s.source, s.n, s.calls, s.failed, string(s.first), string(s.last)})
	}
	for _, s := range segments {
		in := t.segments[s.Name]
		r.Segments = append(r.Segments, segmentJSON{s.Name, s.Size, in.n, in.first, in.last})
	}
	return r
}
