package record

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/logfmt"
)

func QueryCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "query",
		Usage: "find entries in the whole log",
		Description: "Prints entries in the order of the log, each with its number. Exit 1 if there is none.\n" +
			"--get takes a path of gjson (github.com/tidwall/gjson) into the entry's JSON. Entries without\n" +
			"such a value are left out.",
		Flags: append(scope.FilterFlags(),
			&cli.StringFlag{Name: "get", Usage: "print only the value at `PATH`: data.path, data.outputs.0.path, agent.type"},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "stop after `N` entries"},
			&cli.BoolFlag{Name: "count", Usage: "print only how many there are"},
			&cli.BoolFlag{Name: "json", Usage: "print entries as JSON lines"},
			&cli.BoolFlag{Name: "raw", Usage: "print entries as they are in the log: a JSON line and a line for people"},
		),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn query --event FAILED --since 7d",
			"aburn query --event TOOL_FAILED --get data.head",
			"aburn query --cmd build --event COMPLETE --get data.outputs.#.path --json",
			"aburn query --session 5b0c2f91 --count",
		),
		Action: a.Action(runQuery),
	}
}

func runQuery(_ context.Context, a *kit.App, cmd *cli.Command) error {
	f, err := scope.ReadFilter(a, cmd, time.Now())
	if err != nil {
		return err
	}
	limit := int64(cmd.Int("limit"))
	if limit < 0 {
		return fault.Usage("--limit: must not be negative")
	}
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	out := bufio.NewWriterSize(a.Stdout, 64<<10)
	q := querier{get: cmd.String("get"), count: cmd.Bool("count"), out: out, screen: a.Screen(cmd)}
	q.Printer = scope.NewPrinter(cmd, q.screen.Onto(out))
	q.List.Seq = true
	n, err := q.run(w.Log, f, limit)
	if err == nil && q.count {
		_, err = fmt.Fprintln(out, n)
	}
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	w.WarnDamage(a.Warn)
	if err == nil && n == 0 {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

type querier struct {
	*entries.Printer
	get    string
	count  bool
	out    io.Writer
	screen *term.Out
}

// run reads the log once and returns how many entries it found. Entries that the filter refuses are not parsed.
func (q *querier) run(log *journal.Journal, f *entries.Filter, limit int64) (n int64, err error) {
	var seen logfmt.Deduper
	now := time.Now()
	for r, err := range log.Headers(journal.Position{}) {
		if err != nil {
			return n, err
		}
		if seen.SeenBytes(r.Value.ID) || !f.Match(r.Value) {
			continue
		}
		found, err := q.printEntry(r.JSON, now)
		if err != nil {
			return n, err
		}
		if found {
			n++
		}
		if limit > 0 && n == limit {
			break
		}
	}
	return n, nil
}

// printEntry prints an entry, or its value at --get; false if it has no such value.
func (q *querier) printEntry(line []byte, now time.Time) (bool, error) {
	if q.get != "" {
		v := gjson.GetBytes(line, q.get)
		if !v.Exists() || q.count {
			return v.Exists(), nil
		}
		return true, q.printValue(v)
	}
	if q.count {
		return true, nil
	}
	if q.Form == entries.JSONLines { // its header was parsed, so it is an entry
		return true, q.Print(entries.Record{Line: line}, now)
	}
	e, err := logfmt.Parse(line)
	if err != nil {
		return false, nil
	}
	return true, q.Print(entries.Record{Entry: e, Line: line}, now)
}

// printValue prints one value a line: as JSON, or as text, on a terminal without
// control characters.
func (q *querier) printValue(v gjson.Result) error {
	text := v.String()
	switch {
	case q.Form != entries.People:
		text = string(plain.AppendJSON(nil, []byte(v.Raw)))
	case q.screen.Terminal():
		text = plain.Text(text)
	}
	_, err := fmt.Fprintln(q.out, text)
	return err
}
