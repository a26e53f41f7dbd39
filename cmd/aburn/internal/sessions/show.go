package sessions

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/trace"
)

// storyLimit is how many lines of a story people are shown who do not say how many.
const storyLimit = 200

func ShowCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "tell the story of one session",
		ArgsUsage: "SESSION",
		Description: "Its prompts, calls with what became of them (exit code, duration, size of the result), changed files, errors, sub-agents. What was copied from another\n" +
			"session, and what the conversation was rewound past, is marked. The number of an event is what --raw takes: it prints the record that the event was read\n" +
			"from, out of the agent's own store, as it stands there. SESSION is an id of `aburn sessions`, whole, or its first or last 4 characters.\n\n" +
			"Where aburn's hooks recorded the session too, the story has what they alone know (+), and --differences lists all in which their log and the agent's store\n" +
			"do not agree.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "raw", Usage: "print the original record of event `N`"},
			&cli.BoolFlag{Name: "joined", Usage: "with --json, put what hooks recorded into the trace"},
			&cli.BoolFlag{Name: "differences", Usage: "list where the agent's store and the hooks' log differ"},
			&cli.IntFlag{Name: "limit", Usage: "only the last `N` lines of the story (default " + strconv.Itoa(storyLimit) + ")"},
			&cli.BoolFlag{Name: "all", Usage: "the whole story"},
			kit.JSONFlag(),
		},
		ArgValidator:  scope.SessionArgument,
		ShellComplete: a.DoComplete(scope.CompleteSessions),
		Metadata: kit.Examples(
			"aburn show 5b0c2f91",
			"aburn show 5b0c2f91 --raw 17",
			"aburn show 5b0c2f91 --json | jq '.events[] | select(.kind==\"error\")'",
		),
		Action: a.Do(runShow),
	}
}

// shown is the session that show tells of.
type shown struct {
	archive.Session
	*joined
	names   *scope.SessionNames
	others  map[string]*archive.Session // of the same source, by id
	related []archive.Relation          // those in which others name it
}

func runShow(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.IsSet("raw") && (cmd.Bool("json") || cmd.Bool("differences")) {
		return kit.UsageError("--raw prints a record as it is, and takes neither --json nor --differences")
	}
	if cmd.Bool("joined") && !cmd.Bool("json") {
		return kit.UsageError("--joined is for --json: the story is joined anyway")
	}
	if cmd.Int("limit") < 0 {
		return kit.UsageError("--limit: a number of lines is not negative")
	}
	arch, err := scope.ViewArchive(ctx, a.Env)
	if err != nil {
		return err
	}
	defer arch.Close()
	s, err := scope.OneSession(ctx, arch, cmd.Args().First())
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
	both, err := joinOf(ctx, arch, &s, t)
	if err != nil {
		a.Warn("what hooks recorded of it is left out: " + err.Error())
	}
	switch {
	case cmd.Bool("differences"):
		return showDifferences(a, a.Screen(cmd), cmd.Bool("json"), both, &s, t)
	case cmd.Bool("json") && cmd.Bool("joined"):
		return a.PrintJSON(both.SessionTrace)
	case cmd.Bool("json"):
		return a.PrintJSON(t)
	}
	return showStory(ctx, a, cmd, arch, &shown{Session: s, joined: both})
}

// showStory prints what is known of a session as a whole, and its story.
func showStory(ctx context.Context, a *kit.App, cmd *cli.Command, arch *archive.Archive, v *shown) error {
	if err := v.look(ctx, arch); err != nil {
		return err
	}
	out := a.Screen(cmd)
	v.head(out)
	limit := storyLimit
	if cmd.IsSet("limit") {
		limit = cmd.Int("limit")
	}
	if cmd.Bool("all") {
		limit = 0
	}
	fmt.Fprintln(out)
	left, err := v.tell(out, limit)
	if err == nil && left > 0 {
		a.Note(plain.Plural(int64(left), "earlier line is", "earlier lines are") + " left out: --all shows them")
	}
	return err
}

// look gathers what is told about the other sessions that the story names.
func (v *shown) look(ctx context.Context, arch *archive.Archive) error {
	all, err := arch.Sessions(ctx, archive.Filter{})
	if err != nil {
		return err
	}
	v.names = scope.NewNames(all)
	v.others = map[string]*archive.Session{}
	for i := range all {
		if all[i].Source == v.Session.Source {
			v.others[all[i].ID] = &all[i]
		}
	}
	relations, err := arch.Relations(ctx)
	for _, r := range relations {
		if r.RelatedKey == v.Key && r.Kind != trace.Subagent { // sub-agents are in the story
			v.related = append(v.related, r)
		}
	}
	return err
}

// name is how another session of the same source is called in the story.
func (v *shown) name(id string) string {
	if id == "" {
		return "an unknown session"
	}
	if v.others[id] == nil {
		return id + ", which is not in the archive"
	}
	return v.names.Of(v.Session.Source, id)
}
