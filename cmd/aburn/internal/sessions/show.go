package sessions

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/archive/story"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
)

// storyLimit is the default of --limit.
const storyLimit = 200

func ShowCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show what was said in a session",
		ArgsUsage: "[SESSION]",
		Description: "Prints the conversation: your prompts, the agent's answers, its calls with the first lines of what they printed, and its\n" +
			"changes. The texts come from the agent's own files, with secrets taken out. On a terminal they open in your $PAGER.\n\n" +
			"SESSION is an id of `aburn sessions`, whole, or its first or last 4 characters. The default is last, the newest of this project.\n\n" +
			"--calls prints one line for each event, with exit codes, durations, sizes and numbers. Events that were copied from another\n" +
			"session, or that the conversation was rewound past, are marked. + marks what only aburn's hooks know. --raw N prints the agent's\n" +
			"own record of event N.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "calls", Usage: "print one line for each event, and facts about the session"},
			&cli.BoolFlag{Name: "markdown", Usage: "print the conversation as Markdown, to share"},
			&cli.IntFlag{Name: "at", Usage: "begin with the turn of event `N`"},
			&cli.IntFlag{Name: "raw", Usage: "print the original record of event `N`"},
			&cli.BoolFlag{Name: "joined", Usage: "with --json, put what hooks recorded into the trace"},
			&cli.BoolFlag{Name: "differences", Usage: "list where the agent's store and the hooks' log differ"},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "print only the last `N` events (default: all, with --calls " + strconv.Itoa(storyLimit) + ")"},
			&cli.BoolFlag{Name: "all", Usage: "with --calls, print all events"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator:  kit.AtMostOneArgument("SESSION"),
		ShellComplete: a.Completion(chosen.CompleteSessions),
		Metadata: kit.Examples(
			"aburn show",
			"aburn show 5b0c2f91 -n 20",
			"aburn show 5b0c2f91 --markdown > session.md",
			"aburn show 5b0c2f91 --calls",
			"aburn show 5b0c2f91 --raw 17",
			"aburn show 5b0c2f91 --json | jq '.events[] | select(.kind==\"error\")'",
		),
		Action: a.Action(runShow),
	}
}

// storyView is the session that show prints.
type storyView struct {
	archive.Session
	story.Teller
	verdict insight.Verdict
	related []archive.Relation // in which other sessions name this one
	cost    string             // of its own answers, and with its sub-agents'; "" if it was billed for nothing
}

func runShow(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.Bool("markdown") && (cmd.Bool("calls") || cmd.Bool("json")) {
		return fault.Usage("--markdown takes neither --calls nor --json")
	}
	if cmd.IsSet("raw") && (cmd.Bool("json") || cmd.Bool("differences")) {
		return fault.Usage("--raw takes neither --json nor --differences")
	}
	if cmd.Bool("joined") && !cmd.Bool("json") {
		return fault.Usage("--joined needs --json; without it they are always joined")
	}
	if cmd.IsSet("at") && (cmd.Bool("calls") || cmd.Bool("json") || cmd.IsSet("raw") || cmd.Bool("differences")) {
		return fault.Usage("--at can't be combined with --calls, --json, --raw or --differences")
	}
	if cmd.Int("limit") < 0 {
		return fault.Usage("--limit: must not be negative")
	}
	if err := chosen.CatchUp(ctx, a, cmd, lookup.Choice{}); err != nil {
		return err
	}
	arch, err := lookup.ViewArchive(ctx, a.Getenv)
	if err != nil {
		return err
	}
	defer arch.Close()
	name := cmp.Or(cmd.Args().First(), lookup.LastName)
	if archived, err := lookup.CountArchived(ctx, arch); err == nil && archived == 0 && name == lookup.LastName {
		if cmd.Bool("json") {
			return a.PrintJSON(struct{}{})
		}
		chosen.NoteNone(ctx, a, archived, "session")
		return nil
	}
	s, err := lookup.NamedSession(ctx, scope.CallerOf(a, cmd), arch, name)
	if err != nil {
		return err
	}
	t, err := arch.Trace(ctx, s.Key)
	if err != nil {
		return err
	}
	if cmd.IsSet("raw") {
		return showRaw(ctx, a, cmd, &s, t, cmd.Int("raw"))
	}
	both, err := story.Join(ctx, arch, &s, t)
	if err != nil {
		a.Warn("the hooks' records of it are left out: " + err.Error())
	}
	judged, err := chosen.CallerOf(a, cmd).Judge(ctx, []archive.Session{s})
	if err != nil {
		return err
	}
	switch {
	case cmd.Bool("differences"):
		return showDifferences(a, a.Screen(cmd), cmd.Bool("json"), both, &s, t)
	case cmd.Bool("json"):
		if cmd.Bool("joined") {
			t = both.SessionTrace
		}
		lookup.PutVerdict(t, judged[0].Verdict)
		return a.PrintJSON(t)
	}
	return showStory(ctx, a, cmd, arch, t, &storyView{Session: s, verdict: judged[0].Verdict, Teller: story.Teller{Joined: both, Source: s.Source}})
}

func showStory(ctx context.Context, a *kit.App, cmd *cli.Command, arch *archive.Archive, stored *trace.SessionTrace, v *storyView) error {
	if err := v.load(ctx, arch, chosen.CallerOf(a, cmd)); err != nil {
		return err
	}
	if !cmd.Bool("calls") {
		var notes []string
		err := a.Paged(cmd, func(out *term.Out) (err error) {
			notes, err = v.printConversation(ctx, out, stored, archive.Dir(a.Getenv), cmd.Int("at"), cmd.Int("limit"), cmd.Bool("markdown"))
			return err
		})
		for _, note := range notes {
			a.Note(note)
		}
		return err
	}
	out := a.Screen(cmd)
	v.printHead(out)
	limit := storyLimit
	if cmd.IsSet("limit") {
		limit = cmd.Int("limit")
	}
	if cmd.Bool("all") {
		limit = 0
	}
	fmt.Fprintln(out)
	left, err := v.printStory(out, limit)
	if err == nil && left > 0 {
		a.Note(plain.Plural(int64(left), "earlier line is", "earlier lines are") + " left out: --all shows them")
	}
	return err
}

// load reads what the story shows of other sessions.
func (v *storyView) load(ctx context.Context, arch *archive.Archive, c *lookup.Caller) error {
	all, err := arch.Sessions(ctx, archive.Filter{})
	if err != nil {
		return err
	}
	v.Names = names.New(all)
	v.Others = map[string]*archive.Session{}
	for i := range all {
		if all[i].Source == v.Session.Source {
			v.Others[all[i].ID] = &all[i]
		}
	}
	var spawned []int64
	for i := range v.Events {
		if b, ok := v.Events[i].Body.(*trace.SubagentSpawn); ok && v.Others[b.Session] != nil {
			spawned = append(spawned, v.Others[b.Session].Key)
		}
	}
	if v.Verdicts, err = c.Verdicts(ctx, spawned); err != nil {
		return err
	}
	relations, err := arch.Relations(ctx)
	for _, r := range relations {
		if r.RelatedKey == v.Key && r.Kind != trace.Subagent { // sub-agents are in the story
			v.related = append(v.related, r)
		}
	}
	if err == nil {
		v.cost, err = costWords(ctx, c, bill.CurrencyOf(bill.SettingsOf(c.Caller)), arch, &v.Session, relations, all)
	}
	return err
}

// costWords says what a session's own answers cost, and those of all sub-agents below it.
func costWords(ctx context.Context, c *lookup.Caller, in *bill.Currency, arch *archive.Archive, s *archive.Session, relations []archive.Relation,
	all []archive.Session) (string, error) {
	children := map[int64][]int64{}
	for _, r := range relations {
		if r.Kind == trace.Subagent && r.RelatedKey != 0 {
			children[r.RelatedKey] = append(children[r.RelatedKey], r.Key)
		}
	}
	below := map[int64]bool{s.Key: true}
	for queue := []int64{s.Key}; len(queue) > 0; queue = queue[1:] {
		for _, key := range children[queue[0]] {
			if !below[key] {
				below[key] = true
				queue = append(queue, key)
			}
		}
	}
	var chosen []archive.Session
	for i := range all {
		if below[all[i].Key] {
			chosen = append(chosen, all[i])
		}
	}
	costs, err := bill.SessionCosts(ctx, c.Caller, arch, chosen)
	own, whole := costs[s.Key], cost.Sum{}
	for _, sum := range costs {
		whole.Add(*sum)
	}
	switch {
	case err != nil || len(costs) == 0:
		return "", err
	case own == nil:
		return in.Words(&whole) + ", all of it its sub-agents'", nil
	case len(costs) == 1:
		return in.Words(own), nil
	}
	return in.Words(own) + ", with sub-agents " + in.Words(&whole), nil
}
