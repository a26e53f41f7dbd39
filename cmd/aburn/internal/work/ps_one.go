package work

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/overview"
)

func psOne(a *kit.App, cmd *cli.Command, m *manager.Member, r overview.WorkerReport, now time.Time) error {
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	out := a.Screen(cmd)
	term.Title(out, true, m.Name)
	line := func(name, text string) {
		if text != "" {
			term.HangingParagraph(out, 11, name, plain.Line(text))
		}
	}
	since := ""
	if r.Since != nil {
		since = " since " + plain.Age(now.Sub(*r.Since))
	}
	line("state", describe.StateText(m)+since+" ("+strings.ReplaceAll(units.Join(r.State, r.Reason), "_", " ")+")")
	line("why", strings.Join(r.Evidence, "; "))
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		line("judged", v.Word()+": "+v.Says)
	}
	for _, q := range r.Asks {
		way := "aburn attach " + m.Name
		if q.ID != "" {
			way = "aburn answer " + m.Name + " allow|deny --id " + q.ID
		}
		line("asks", plain.Cut(q.What, 200)+" ("+way+")")
	}
	line("says", r.Says)
	if r.Messages > 0 {
		line("messages", plain.Plural(int64(r.Messages), "message")+" of which its record shows nothing yet")
	}
	line("remarks", strings.Join(r.Flags, "; "))
	line("running", describe.LeftWords(m))
	if r.Damaged > 0 {
		line("damage", plain.Plural(int64(r.Damaged), "line")+" of its ledger could not be read")
	}
	for _, c := range r.Overlaps {
		line(c.Kind, "with "+c.Worker+": "+strings.Join(c.Files, ", "))
	}
	if spent := r.Cost; spent != nil {
		line("cost", units.Join(spent.In.Words(spent.Sum), "list prices", units.Tokens(spent.Tokens)+" tokens, "+units.Tokens(spent.Fresh)+" of them fresh",
			"in "+plain.Plural(int64(spent.Sessions), "session")))
	}
	line("budget", overview.LimitText(m, r.Cost))
	line("task", r.Task)
	line("issue", units.Join(r.Issue, r.IssueURL))
	line("spawned by", r.Parent)
	line("spawned", strings.Join(r.Workers, ", "))
	line("agent", units.Join(r.Agent, r.Via, r.Session))
	line("branch", units.Join(r.Branch, "from "+strings.TrimSpace(r.BaseRef+" "+r.Base[:min(len(r.Base), 8)]), formerly(r.Former)))
	if p := r.Pull; p != nil {
		line("pr", describe.PullText(fmt.Sprintf("#%d", p.Number), p.State, p.Draft, p.Checks, p.Review, p.Conflicts, 0)+" · "+p.URL)
	}
	where := r.Tree
	if r.Removed {
		where += " (removed)"
	}
	line("tree", where)
	if r.Disk != nil {
		line("disk", plain.Size(*r.Disk))
	}
	line("snapshots", plain.Count(int64(r.Snapshots)))
	return nil
}
