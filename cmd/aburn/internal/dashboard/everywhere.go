package dashboard

import (
	"bytes"
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/attention"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/logfmt"
	"aburn/web/site"
)

// newestShown is how many sessions aburn status and top list below those that run.
const newestShown = 5

// Unrecorded is `aburn status` where no log is: what agents saved themselves. Inside of a repository it is about that, elsewhere about the whole
// machine.
func Unrecorded(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	c := scope.CallerOf(a, cmd)
	o, err := OptionsOf(ctx, c, cmd)
	if err != nil {
		return err
	}
	folder, err := c.Folder()
	if err != nil {
		return err
	}
	if _, main := project.Checkout(folder, c.Env); main != "" && o.Project == "" {
		o.Project = rootAround(folder, c.Env)
	}
	o.CostsOnly, o.Workers = true, WorkersOf(a)
	chosen.CatchUpAtOnce(ctx, a, cmd, lookup.Choice{})
	s := site.New(o)
	s.Refresh(ctx)
	top := reportOf(ctx, s)
	if err := top.once(a, cmd); err != nil {
		return err
	}
	if o.Project != "" && len(top.Items)+len(top.newest) == 0 && !cmd.Bool("json") {
		a.Hint("aburn top  # shows all projects")
	}
	return nil
}

// Elsewhere is a line about the sessions that run in other projects of this machine than the one at root; "" if none does.
func Elsewhere(ctx context.Context, a *kit.App, cmd *cli.Command, root string) string {
	o, err := OptionsOf(ctx, scope.CallerOf(a, cmd), cmd)
	if err != nil {
		return ""
	}
	o.Project, o.CostsOnly, o.Workers = "", true, WorkersOf(a)
	s := site.New(o)
	s.Refresh(ctx)
	running, waiting := map[logfmt.SessionID]bool{}, map[logfmt.SessionID]bool{}
	for _, thing := range s.Things(ctx).List {
		item := &thing.Item
		if item.Session == "" || item.Root == root || item.Kind == attention.Idle {
			continue
		}
		running[item.Session] = true
		if item.Group == attention.Waiting {
			waiting[item.Session] = true
		}
	}
	if len(running) == 0 {
		return ""
	}
	text := plain.Plural(int64(len(running)), "more session runs", "more sessions run") + " in other projects"
	if n := len(waiting); n > 0 {
		text += ", " + plain.Plural(int64(n), "waits", "wait") + " for you"
	}
	return text + ": aburn top"
}

// printNewest lists the newest sessions that are not running.
func printNewest(out *term.Out, list []site.Recent) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(out, out.Paint(term.Dim, "newest sessions"))
	table := &term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Right: true}, {Flex: true, Min: 4}, {Spare: 2}, {Flex: true, Min: 12}, {Right: true, Spare: 1},
	}}
	for i := range list {
		one := &list[i]
		table.AddCells(term.Cell{Text: one.Ended}, term.Cell{Text: one.Project, Style: term.Bold}, term.Cell{Text: one.Agent, Style: term.Dim},
			term.Cell{Text: plain.Cut(plain.Line(one.Title), 72)}, term.Cell{Text: one.Cost})
	}
	var b bytes.Buffer
	if err := table.Print(out.Onto(&b), 2); err != nil {
		return err
	}
	_, err := out.Write(b.Bytes())
	return err
}
