package archiving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/trace/export"
)

func ExportCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "export sessions as JSON lines or OpenTelemetry spans",
		ArgsUsage: "[SESSION…]",
		Description: "Prints one trace per line on stdout, for DuckDB, ClickHouse, Spark or jq. --format otlp sends OpenTelemetry spans with the GenAI\n" +
			"conventions over OTLP/HTTP: a session becomes a span invoke_agent, a response chat, a tool call execute_tool. A sub-agent's\n" +
			"spans are children of the call that spawned it. A second export sends the same spans. A named session includes all of its\n" +
			"sub-agents. Without --heads, spans contain no text of a session. The variables OTEL_EXPORTER_OTLP_* can also set the endpoint\n" +
			"and its headers. Exit 1 if the endpoint refused something.",
		Flags: append(chosen.ChoiceFlags(), chosen.OutcomeFlag(),
			&cli.StringFlag{Name: "format", Value: "jsonl", Usage: "`FORMAT` is jsonl or otlp"},
			&cli.StringFlag{Name: "endpoint", Usage: "send spans to this `URL` (default OTEL_EXPORTER_OTLP_ENDPOINT, else http://localhost:4318)"},
			&cli.StringSliceFlag{Name: "header",
				Usage: "with each request send `NAME=VALUE`; better kept in OTEL_EXPORTER_OTLP_HEADERS, as others can see a command line"},
			&cli.BoolFlag{Name: "heads", Usage: "add paths and the scrubbed beginnings of prompts, commands and errors to spans"},
			&cli.BoolFlag{Name: "json", Usage: "with otlp, say in JSON what was sent"},
		),
		ShellComplete: a.Completion(chosen.CompleteSessions),
		Metadata: kit.Examples(
			"aburn export --since 30d > traces.jsonl",
			"duckdb -c \"select source, count(*) from 'traces.jsonl' group by all\"",
			"aburn export --format otlp --endpoint http://localhost:4318",
		),
		Action: a.Action(runExport),
	}
}

func ExportFormats() []string { return []string{"jsonl", "otlp"} }

type exporter struct {
	*kit.App
	caller *lookup.Caller
	arch   *archive.Archive
	nodes  map[export.Node]*archive.Session
	parent map[export.Node]export.Node // of sub-agents
}

func runExport(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	format, err := lookup.CheckWord("format", cmd.String("format"), ExportFormats())
	switch {
	case err != nil:
		return err
	case format == "jsonl" && (cmd.IsSet("endpoint") || cmd.IsSet("header") || cmd.IsSet("heads") || cmd.IsSet("json")):
		return fault.Usage("--endpoint, --header, --heads and --json need --format otlp",
			"aburn export --format otlp")
	}
	if err := chosen.CatchUp(ctx, a, cmd, chosen.ChoiceOf(cmd)); err != nil {
		return err
	}
	arch, err := lookup.ViewArchive(ctx, a.Getenv)
	if err != nil {
		return err
	}
	defer arch.Close()
	x := &exporter{App: a, caller: chosen.CallerOf(a, cmd), arch: arch}
	if err := x.load(ctx); err != nil {
		return err
	}
	list, err := x.wanted(ctx, cmd)
	if err != nil {
		return err
	}
	if len(list) == 0 && !cmd.Bool("json") {
		return chosen.NoteNoneChosen(ctx, a, arch, "session")
	}
	if format == "jsonl" {
		return x.writeLines(ctx, list)
	}
	return x.sendSpans(ctx, cmd, list)
}

func (x *exporter) load(ctx context.Context) error {
	all, err := x.arch.Sessions(ctx, archive.Filter{Own: true})
	if err != nil {
		return err
	}
	relations, err := x.arch.Relations(ctx)
	if err != nil {
		return err
	}
	x.nodes, x.parent = map[export.Node]*archive.Session{}, map[export.Node]export.Node{}
	for i := range all {
		x.nodes[nodeOf(&all[i])] = &all[i]
	}
	for _, r := range relations {
		if r.Kind == trace.Subagent && r.Related != "" {
			x.parent[export.Node{Source: r.Source, ID: r.Session}] = export.Node{Source: r.Source, ID: r.Related}
		}
	}
	return nil
}

func nodeOf(s *archive.Session) export.Node { return export.Node{Source: s.Source, ID: s.ID} }

// mostAncestors is deeper than sub-agents nest. It ends the walk along links in a circle.
const mostAncestors = 100

// root is the session at the top of n's tree.
func (x *exporter) root(n export.Node) export.Node {
	for range mostAncestors {
		p, ok := x.parent[n]
		if !ok {
			break
		}
		n = p
	}
	return n
}

// isBelow says whether n is one of those sessions, or a sub-agent of one at any depth.
func (x *exporter) isBelow(n export.Node, those []export.Node) bool {
	for range mostAncestors {
		if slices.Contains(those, n) {
			return true
		}
		p, ok := x.parent[n]
		if !ok {
			return false
		}
		n = p
	}
	return false
}

// wanted are the sessions that the flags and arguments choose, the oldest first.
func (x *exporter) wanted(ctx context.Context, cmd *cli.Command) ([]lookup.Judged, error) {
	what := chosen.ChoiceOf(cmd)
	f, err := lookup.FilterOf(ctx, x.caller.Caller, what, x.arch)
	if err != nil {
		return nil, err
	}
	var named []export.Node
	for _, name := range cmd.Args().Slice() {
		s, err := lookup.NamedSession(ctx, x.caller.Caller, x.arch, name)
		if err != nil {
			return nil, err
		}
		named = append(named, nodeOf(&s))
		f.Own = f.Own || agentcli.Of(s.Source).Traits.Recorded
	}
	list, err := x.arch.Sessions(ctx, f)
	if err != nil {
		return nil, err
	}
	if named != nil {
		list = slices.DeleteFunc(list, func(s archive.Session) bool { return !x.isBelow(nodeOf(&s), named) })
	}
	slices.Reverse(list)
	judged, _, err := x.caller.JudgeNewest(ctx, list, what.Outcome, 0)
	return judged, err
}

func (x *exporter) eachTrace(ctx context.Context, list []lookup.Judged, do func(*trace.SessionTrace) error) error {
	for i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := x.arch.Trace(ctx, list[i].Key)
		if err != nil {
			return err
		}
		lookup.PutVerdict(t, list[i].Verdict)
		if err := do(t); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) writeLines(ctx context.Context, list []lookup.Judged) error {
	out := export.NewLines(x.Stdout)
	if err := x.eachTrace(ctx, list, out.Add); err != nil {
		return err
	}
	return out.Close()
}

// SentReport is `aburn export --format otlp --json`.
type SentReport struct {
	Endpoint string `json:"endpoint"`
	Sessions int    `json:"sessions"`
	Spans    int64  `json:"spans"`
	Rejected int64  `json:"rejected"`
	Reason   string `json:"reason,omitempty"`
}

func (x *exporter) sendSpans(ctx context.Context, cmd *cli.Command, list []lookup.Judged) error {
	to, err := export.Resolve(cmd.String("endpoint"), x.Getenv)
	if err != nil {
		return fault.Usage(err.Error(), "aburn export --format otlp --endpoint http://localhost:4318")
	}
	for _, pair := range cmd.StringSlice("header") {
		if err := to.AddHeader(pair); err != nil {
			return fault.Usage("--" + err.Error())
		}
	}
	sender := export.NewSender(to)
	options := export.Options{Heads: cmd.Bool("heads"), Root: x.root}
	sessions := 0
	err = x.eachTrace(ctx, list, func(t *trace.SessionTrace) error {
		sessions++
		return sender.Add(ctx, export.Spans(t, options))
	})
	if err == nil {
		err = sender.Flush(ctx)
	}
	if err != nil {
		hints := []string{}
		if errors.Is(err, syscall.ECONNREFUSED) {
			hints = append(hints, "no collector listens there: pass another with --endpoint URL")
		}
		return fault.Failed(fmt.Sprintf("%v (%s before)", err, plain.Plural(sender.Sent, "span was sent", "spans were sent")), hints...)
	}
	r := SentReport{Endpoint: to.URL, Sessions: sessions, Spans: sender.Sent, Rejected: sender.Rejected, Reason: sender.Why}
	if cmd.Bool("json") {
		err = x.PrintJSON(r)
	} else {
		x.Note(fmt.Sprintf("%s of %s sent to %s", plain.Plural(r.Spans, "span"), plain.Plural(int64(r.Sessions), "session"), r.Endpoint))
	}
	if err == nil && r.Rejected > 0 {
		return fault.Failed(units.Join(plain.Plural(r.Rejected, "span")+" not taken", plain.Line(r.Reason)))
	}
	return err
}
