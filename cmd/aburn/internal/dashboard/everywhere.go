package dashboard

import (
	"bytes"
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
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
