package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/attention"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/web/show"
	"aburn/web/site"
	"aburn/web/site/snapshot"
)

// TopCommand is `aburn top`.
func TopCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "top",
		Usage: "watch what waits for you and what runs, in all projects",
		Description: "The page Now of aburn web for a terminal: the sessions of all agents on this machine. First what waits\n" +
			"for you, then what is stuck with more than 90 % confidence, then what is running. Only hooks can see\n" +
			"what waits or is stuck (aburn install-hooks). Amounts are at list prices, with sub-agents. Enter shows\n" +
			"the whole line and how to get to its session, ? the keys. If the output isn't a terminal, it prints once.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "once", Usage: "print once, and end"},
			&cli.StringFlag{Name: "project", Usage: "only the project in `DIR`, or of this name", TakesFile: true},
			&cli.StringFlag{Name: "timezone", Usage: "days of this `ZONE`: UTC, Europe/Berlin (default: the computer's)"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn top", "aburn top --once", "aburn top --json | jq '.items[] | select(.group==\"waiting\")'"),
		Action:       a.Action(runTop),
	}
}

func runTop(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	o, err := OptionsOf(ctx, scope.CallerOf(a, cmd), cmd)
	if err != nil {
		return err
	}
	o.CostsOnly, o.Workers = true, WorkersOf(a)
	in, out := terminalOf(a)
	if !cmd.Bool("once") && !cmd.Bool("json") && in != nil {
		return follow(ctx, a, cmd, o, in, out)
	}
	chosen.CatchUpAtOnce(ctx, a, cmd, lookup.Choice{})
	site := site.New(o)
	site.Refresh(ctx)
	top := reportOf(ctx, site)
	return top.once(a, cmd)
}

// once prints the report as the command line asks.
func (t *TopReport) once(a *kit.App, cmd *cli.Command) error {
	switch {
	case cmd.Bool("json"):
		return a.PrintJSON(t)
	case t.looked != "" && len(t.Items) == 0:
		a.Note(lookup.NoSessions)
		a.Note(t.looked)
		return nil
	}
	return t.print(a.Screen(cmd))
}

// TopReport is what `aburn top --json` prints.
type TopReport struct {
	At      time.Time    `json:"at"`
	Waiting int          `json:"waiting"`
	Stuck   int          `json:"stuck"`
	Working int          `json:"working"`
	Today   *bill.Priced `json:"today,omitempty"` // nil: there is no archive that says it
	Items   []TopItem    `json:"items"`
	Notes   []string     `json:"notes"`

	today    string   // as a person reads it
	empty    []string // lines in place of items
	hooked   bool     // some project is trusted, so that the numbers of what waits, is stuck and works are known
	looked   string   // where aburn looked, if no agent has saved a session
	unhooked int      // sessions that run, and only their own files say so
	newest   []site.Recent
}

// TopItem is one line of aburn top.
type TopItem struct {
	Group   string           `json:"group"`
	Kind    string           `json:"kind"`
	Project string           `json:"project"`
	Branch  string           `json:"branch,omitempty"`
	Source  string           `json:"source,omitempty"`
	Session logfmt.SessionID `json:"session,omitempty"`
	Worker  string           `json:"worker,omitempty"` // its name
	State   string           `json:"state,omitempty"`  // of a worker, with the reason
	Task    string           `json:"task,omitempty"`   // of a worker
	Title   string           `json:"title"`
	Since   *time.Time       `json:"since,omitempty"`
	What    string           `json:"what"`
	Quoted  string           `json:"quoted,omitempty"`
	Whole   string           `json:"whole,omitempty"`
	Also    []string         `json:"also,omitempty"`
	Proof   []logfmt.Seq     `json:"proof"`
	Where   string           `json:"where,omitempty"`
	Command string           `json:"command,omitempty"`
	Cost    *bill.Priced     `json:"cost,omitempty"`

	item attention.Item
	sum  *cost.Sum
	cost string // sum as a person reads it
}

// The words of --json.
var (
	groupWords = [...]string{attention.Waiting: "waiting", attention.Stuck: "stuck", attention.Living: "living"}
	kindWords  = [...]string{attention.Permission: "permission", attention.Question: "question", attention.Plan: "plan", attention.TurnFailed: "turn_failed",
		attention.Foreign: "queue",
		attention.Working: "working", attention.Idle: "idle", attention.Heard: "heard", attention.Unhooked: "no_hooks"}
)

// reportOf is what the screen shows.
func reportOf(ctx context.Context, site *site.Site) *TopReport {
	all := site.Things(ctx)
	top := &TopReport{At: site.Now().UTC().Truncate(time.Millisecond), Waiting: all.Waiting, Items: []TopItem{}, Notes: []string{}}
	if all.Problem == nil {
		top.today, top.Today = all.In.Says(&all.Today), bill.PricedOf(&all.Today)
	}
	for i := range all.List {
		item := &all.List[i]
		switch {
		case item.Group == attention.Stuck:
			top.Stuck++
		case item.Kind == attention.Working:
			top.Working++
		case item.Kind == attention.Unhooked:
			top.unhooked++
		}
		top.Items = append(top.Items, itemOf(item, all.In))
	}
	for i := range all.Projects {
		if err := all.Projects[i].Err; err != nil {
			top.Notes = append(top.Notes, plain.Line(filepath.Base(all.Projects[i].Root)+": "+fault.Of(err).Msg))
		}
	}
	for _, n := range all.Notes {
		top.Notes = append(top.Notes, n.Text)
	}
	if all.Problem != nil {
		top.Notes = append(top.Notes, "amounts are unknown: "+plain.Line(fault.Of(all.Problem).Msg))
	}
	missing, looked := site.Missing(ctx)
	for _, n := range missing {
		top.Notes = append(top.Notes, n.Text)
	}
	top.newest, top.hooked, top.looked = site.Newest(ctx, newestShown), len(site.Followed()) > 0, looked
	switch {
	case looked != "":
		top.today, top.empty = "", []string{lookup.NoSessions, looked}
	case top.hooked:
		top.empty = []string{"Nothing waits for you, and no session is running."}
	case len(top.newest) == 0 && len(top.Notes) == 0:
		top.empty = []string{"No session is running."}
	}
	return top
}

func itemOf(thing *site.Thing, in *bill.Currency) TopItem {
	item := &thing.Item
	one := TopItem{Group: groupWords[item.Group], Kind: kindWords[item.Kind], Project: item.Root, Branch: plain.Line(item.Branch), Source: item.Source,
		Session: item.Session,
		Title:   thing.Title, What: item.What, Quoted: item.Quoted, Whole: item.Whole, Also: item.Also, Proof: append([]logfmt.Seq{}, item.Proof...), item: *item}
	switch {
	case item.Kind == attention.Issue:
		one.Kind = item.Type
	case item.Worker != nil:
		one.Kind, one.Worker, one.State, one.Task = "worker", item.Worker.Name, item.Worker.Says, item.Worker.Task
	}
	if !item.Since.IsZero() {
		one.Since = &item.Since
	}
	way := attention.WayTo(item)
	one.Where, one.Command = way.Where, cmp.Or(thing.Resume, way.Command)
	if thing.Cost != nil {
		one.sum, one.cost, one.Cost = thing.Cost, in.Says(thing.Cost), bill.PricedOf(thing.Cost)
	}
	return one
}

// head is the first line.
func (t *TopReport) head() string {
	text := plain.Plural(int64(t.unhooked), "session") + " running"
	if t.hooked {
		text = fmt.Sprintf("%d waiting · %d stuck · %d working", t.Waiting, t.Stuck, t.Working)
		if t.unhooked > 0 {
			text += fmt.Sprintf(" · %d running without hooks", t.unhooked)
		}
	}
	if t.today != "" {
		text += " · today " + t.today
	}
	return text
}

// print prints all lines once.
func (t *TopReport) print(out *term.Out) error {
	fmt.Fprintln(out, out.Paint(term.Bold, t.head()))
	for _, n := range t.Notes {
		term.Paragraph(out, 0, "", n)
	}
	if len(t.Items) > 0 {
		if err := tableOf(t.At, t.Items).Print(out, 0); err != nil {
			return err
		}
	} else {
		for _, line := range t.empty {
			term.Paragraph(out, 0, "", line)
		}
	}
	if err := printNewest(out, t.newest); err != nil {
		return err
	}
	if !t.hooked && len(t.Items)+len(t.newest) > 0 {
		term.Paragraph(out, 0, "", "To see what waits for you or is stuck: aburn install-hooks")
	}
	return nil
}

// tableOf is a line for each item: mark, how long, project, branch, agent, word, what, cost.
func tableOf(at time.Time, items []TopItem) *term.Table {
	table := &term.Table{Width: term.TableWidth, Columns: []term.Column{
		{}, {Right: true}, {Flex: true, Min: 4}, {Flex: true, Min: 6, Spare: 3}, {Spare: 2}, {Flex: true, Min: 8}, {Flex: true, Min: 6}, {Right: true, Spare: 1},
	}}
	for i := range items {
		one := &items[i]
		age := ""
		if one.Since != nil {
			age = attention.Age(at.Sub(*one.Since))
		}
		style := styleOf(&one.item)
		table.AddCells(term.Cell{Text: one.item.Mark(), Style: style}, term.Cell{Text: age}, term.Cell{Text: snapshot.NameOf(one.Project), Style: term.Bold},
			term.Cell{Text: one.Branch},
			term.Cell{Text: agentWord(one.Source), Style: term.Dim}, term.Cell{Text: one.item.Word, Style: style}, term.Cell{Text: one.says()},
			term.Cell{Text: one.cost})
	}
	return table
}

// says is what a line has room for: what is asked, or done, before the words around it.
func (t *TopItem) says() string {
	switch {
	case t.item.Worker != nil:
		return t.Title + ": " + cmp.Or(t.Quoted, t.What, t.Task)
	case t.item.Kind == attention.Idle || t.item.Kind == attention.Heard || t.item.Kind == attention.Unhooked:
		return t.Title
	case t.item.Group != attention.Stuck && t.Quoted != "":
		return t.Quoted
	case t.What != "":
		return t.What
	}
	return t.Title
}

func styleOf(item *attention.Item) term.Style {
	switch {
	case item.Group == attention.Waiting:
		return term.BoldYellow
	case item.Group == attention.Stuck:
		return term.BoldRed
	case item.Kind == attention.Working:
		return term.Green
	}
	return term.Dim
}

// agentWord is an agent's short name.
func agentWord(source string) string {
	if p := agentcli.Of(source).Program; p != "" {
		return p
	}
	return plain.Line(source)
}

// detail is all that is known of an item, in lines of the output's width.
func (t *TopItem) detail(out *term.Out, at time.Time) []string {
	var b bytes.Buffer
	to := out.Onto(&b)
	term.Paragraph(to, 1, "", t.Title)
	term.Paragraph(to, 1, "", t.Task)
	says := t.item.Says()
	if t.Since != nil {
		says += " " + attention.Age(at.Sub(*t.Since))
	}
	term.Paragraph(to, 1, "", units.Join(snapshot.NameOf(t.Project), t.Branch, show.Agent(t.Source), says))
	term.Paragraph(to, 1, "", t.What)
	for line := range strings.SplitSeq(cmp.Or(t.Whole, t.Quoted), "\n") {
		term.Paragraph(to, 3, "", line)
	}
	for _, also := range t.Also {
		term.Paragraph(to, 1, "also: ", also)
	}
	last := ""
	if t.item.Last != "" {
		last = "last entry " + t.item.Last + ", " + attention.Age(at.Sub(t.item.Heard)) + " ago"
	}
	term.Paragraph(to, 1, "", units.Join(t.item.ProofWords(), last, t.Where))
	if t.cost != "" {
		term.Paragraph(to, 1, "", t.cost+" so far, at list prices, with sub-agents")
	}
	term.Paragraph(to, 1, "go there: ", t.Command)
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}
