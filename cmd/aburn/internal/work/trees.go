package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/worker"
	"aburn/worker/crew"
	"aburn/worker/tree"
)

func DiffCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "what a worker changed",
		ArgsUsage: "NAME",
		Description: "The difference between the worker's tree and where its branch began, with files that it did not commit or add. If the\n" +
			"tree is gone, it is that of the last snapshot, or of the branch.\n\n" +
			"On a pipe it is a patch that `git apply` takes. On a terminal, characters that act on it are shown as text.",
		Flags:         []cli.Flag{&cli.BoolFlag{Name: "stat", Usage: "only how much changed in which file"}},
		ArgValidator:  oneWorker,
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn diff fix-flaky-test", "aburn diff --stat fix", "aburn diff fix | git apply --index"),
		Action:        a.Action(runDiff),
	}
}

func runDiff(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	o, m, repo, err := openTree(ctx, a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	text, from, err := o.diffOf(ctx, repo, m, cmd.Bool("stat"))
	if err != nil {
		return kit.BadNews(err.Error())
	}
	if from != "" {
		a.Note(from)
	}
	if text == "" {
		a.Note(m.Name + " changed nothing")
		return nil
	}
	out := a.Screen(cmd)
	if !out.Terminal() {
		_, err = io.WriteString(a.Stdout, text+"\n")
		return err
	}
	for line := range strings.Lines(text) {
		if _, err := io.WriteString(out, paintDiff(out, plain.Text(strings.TrimSuffix(line, "\n")))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func paintDiff(out *term.Out, line string) string {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return out.Paint(term.Bold, line)
	case strings.HasPrefix(line, "@@"):
		return out.Paint(term.Cyan, line)
	case strings.HasPrefix(line, "+"):
		return out.Paint(term.Green, line)
	case strings.HasPrefix(line, "-"):
		return out.Paint(term.Red, line)
	}
	return line
}

// diffOf is the difference of the tree, of the last snapshot, or of the branch; from says if it is not the tree's.
func (o *office) diffOf(ctx context.Context, repo *tree.Repo, m *crew.Member, stat bool) (text, from string, err error) {
	d := m.Request
	if t := repo.Tree(d.Tree); t.Exists(ctx) {
		text, err = t.Diff(ctx, o.Store.Book(m.Name).Dir, d.Base, d.BaseRef, stat)
		return text, "", err
	}
	if all := crew.Snapshots(m.Ledger); len(all) > 0 {
		text, err = repo.DiffKept(ctx, all[len(all)-1].Commit, d.Base, d.BaseRef, stat)
		return text, fmt.Sprintf("its tree is gone: this is snapshot %d", len(all)), err
	}
	if _, err := repo.Commit(ctx, d.Branch); err != nil {
		return "", "its tree is gone, and its branch had no commits", nil
	}
	text, err = repo.DiffBranch(ctx, d.Branch, d.Base, d.BaseRef, stat)
	return text, "its tree is gone: this is its branch", err
}

// openTree opens the worker that the first argument means, and its repository.
func openTree(ctx context.Context, a *kit.App, cmd *cli.Command) (*office, *crew.Member, *tree.Repo, error) {
	o, err := openOffice(a, cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := o.member(ctx, cmd.Args().First())
	if err == nil {
		var repo *tree.Repo
		if repo, err = o.repositoryOf(ctx, m); err == nil {
			return o, m, repo, nil
		}
	}
	o.close()
	return nil, nil, nil, err
}

func SnapshotsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "snapshots",
		Usage:     "the states of a worker's tree that were kept, and how to get one back",
		ArgsUsage: "NAME",
		Description: "A snapshot holds staged, unstaged and untracked files in a commit of the shape of a stash. It is taken when the agent\n" +
			"ends, before a tree is removed, and with --take. The last 20 are kept. Files that git ignores are in none.\n\n" +
			"--restore makes a new worktree with the state. Plain git takes it too: `git stash apply --index COMMIT`.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "take", Usage: "keep the present state now"},
			&cli.IntFlag{Name: "restore", Usage: "make a worktree with the state of snapshot `N`"},
			&cli.StringFlag{Name: "into", Usage: "make it at `DIR`; by default where the worker's tree was", TakesFile: true},
			kit.JSONFlag(),
		},
		ArgValidator:  oneWorker,
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn snapshots fix-flaky-test", "aburn snapshots --take fix", "aburn snapshots fix --restore 2 --into ../look"),
		Action:        a.Action(runSnapshots),
	}
}

// SnapshotReport is one snapshot in `aburn snapshots --json`.
type SnapshotReport struct {
	Number  int       `json:"snapshot"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Commit  string    `json:"commit"`
	Ref     string    `json:"ref"`
	Changes *int      `json:"changes,omitempty"`
	Skipped []string  `json:"skipped,omitempty"`
	Dropped bool      `json:"dropped,omitempty"`
}

// RestoreReport is what `aburn snapshots --restore --json` prints.
type RestoreReport struct {
	Into     string `json:"into"`
	Snapshot int    `json:"snapshot"`
	OnBranch bool   `json:"on_branch"`
}

func runSnapshots(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	switch {
	case cmd.Bool("take") && cmd.IsSet("restore"):
		return kit.UsageError("--take and --restore are two different things", "leave one out")
	case cmd.IsSet("into") && !cmd.IsSet("restore"):
		return kit.UsageError("--into needs --restore N", "aburn snapshots --help")
	}
	o, m, repo, err := openTree(ctx, a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	switch {
	case cmd.Bool("take"):
		return o.take(ctx, a, cmd, repo, m)
	case cmd.IsSet("restore"):
		return o.restore(ctx, a, cmd, repo, m)
	}
	reports := []SnapshotReport{}
	for i, e := range crew.Snapshots(m.Ledger) {
		reports = append(reports, SnapshotReport{
			Number: i + 1, At: e.At, Kind: string(e.Kind), Commit: e.Commit, Ref: e.Ref, Changes: e.Changes, Skipped: e.Skipped, Dropped: !repo.Holds(ctx, e.Ref, e.Commit),
		})
	}
	if cmd.Bool("json") {
		return a.PrintJSON(reports)
	}
	return snapshotTable(a.Screen(cmd), m, reports)
}

func snapshotTable(out *term.Out, m *crew.Member, reports []SnapshotReport) error {
	if len(reports) == 0 {
		_, err := fmt.Fprintln(out, "no snapshot of "+m.Name)
		return err
	}
	table := term.Table{Columns: []term.Column{{Title: "N"}, {Title: "WHEN"}, {Title: "CHANGED"}, {Title: "COMMIT"}, {Title: "REMARKS", Flex: true, Min: 8}}}
	for _, r := range reports {
		changed, remark := "-", strings.Join(r.Skipped, "; ")
		if r.Changes != nil {
			changed = plain.Plural(int64(*r.Changes), "file")
		}
		if remark != "" {
			remark = "without " + remark
		}
		if r.Kind == string(worker.Preserved) {
			remark = strings.TrimSuffix("before its tree was removed; "+remark, "; ")
		}
		if r.Dropped {
			remark = "dropped, as newer ones came"
		}
		table.Add(strconv.Itoa(r.Number), r.At.Local().Format("2006-01-02 15:04:05"), changed, r.Commit, remark)
	}
	return table.Print(out, 0)
}

func (o *office) take(ctx context.Context, a *kit.App, cmd *cli.Command, repo *tree.Repo, m *crew.Member) error {
	k, fresh, err := o.Snapshot(ctx, repo, m)
	if err != nil {
		return kit.BadNews(m.Name+": "+err.Error(), "aburn snapshots "+m.Name)
	}
	o.compare(ctx)
	if now, err := o.Look(ctx, m.Name); err == nil {
		m = now[0]
	}
	n := len(crew.Snapshots(m.Ledger))
	if cmd.Bool("json") {
		return a.PrintJSON(SnapshotReport{Number: n, At: time.Now().UTC(), Kind: string(worker.Snapshotted), Commit: k.Commit, Ref: k.Ref, Changes: &k.Changes, Skipped: k.Skipped})
	}
	text := fmt.Sprintf("snapshot %d: %s, %s", n, plain.Plural(int64(k.Changes), "changed file"), k.Commit)
	if !fresh {
		text = fmt.Sprintf("nothing changed since snapshot %d: %s", n, k.Commit)
	}
	for _, s := range k.Skipped {
		a.Warn("not in the snapshot: " + s)
	}
	_, err = fmt.Fprintln(a.Stdout, text)
	return err
}

func (o *office) restore(ctx context.Context, a *kit.App, cmd *cli.Command, repo *tree.Repo, m *crew.Member) error {
	n := int(cmd.Int("restore"))
	all := crew.Snapshots(m.Ledger)
	if n < 1 || n > len(all) {
		return kit.UsageError(fmt.Sprintf("%s has no snapshot %d", m.Name, n), "aburn snapshots "+m.Name)
	}
	into := m.Request.Tree
	if dir := cmd.String("into"); dir != "" {
		into = filepath.Clean(kit.InFolder(o.dir, dir))
	}
	onBranch, err := o.Restore(ctx, repo, m, n, into)
	var problem *tree.Problem
	switch {
	case errors.As(err, &problem):
		return kit.UsageError(problem.Text, problem.Advice)
	case err != nil:
		return kit.BadNews(err.Error())
	case cmd.Bool("json"):
		return a.PrintJSON(RestoreReport{into, n, onBranch})
	}
	text := "on no branch"
	if onBranch {
		text = "on " + m.Request.Branch
	}
	_, err = fmt.Fprintln(a.Stdout, plain.Line(fmt.Sprintf("snapshot %d stands in %s, %s", n, into, text)))
	return err
}

func CleanupCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "cleanup",
		Usage:     "remove the trees of ended workers, where nothing is lost",
		ArgsUsage: "[NAME…]",
		Description: "A tree is removed if it holds nothing beside commits on a branch. Of every other one it says why not. The branch stays,\n" +
			"unless nothing was committed on it. Without names it looks at all workers.\n\n" +
			"Exit code: 1 if a worker that you named was not cleaned up.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only say what would be removed"},
			&cli.BoolFlag{Name: "force-preserve", Usage: "also trees with changes, once a snapshot holds all of them"},
			&cli.BoolFlag{Name: "discard-ignored", Usage: "also files that git ignores, which no snapshot holds: they are gone then"},
			kit.JSONFlag(),
		},
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn cleanup --dry-run", "aburn cleanup fix-flaky-test", "aburn cleanup --force-preserve --discard-ignored fix"),
		Action:        a.Action(runCleanup),
	}
}

func runCleanup(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := personOnly(a, "remove workers' trees"); err != nil {
		return err
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	members, err := o.chosen(ctx, cmd.Args().Slice())
	if err != nil {
		return err
	}
	options := crew.CleanupOptions{DryRun: cmd.Bool("dry-run"), Preserve: cmd.Bool("force-preserve"), DiscardIgnored: cmd.Bool("discard-ignored")}
	results, left := []crew.Cleanup{}, 0
	for _, m := range members {
		r := o.cleanupOne(ctx, m, options)
		if !r.Removed {
			left++
		}
		results = append(results, r)
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(results)
	} else {
		err = cleanupText(a, results, options)
	}
	if err == nil && left > 0 && cmd.NArg() > 0 {
		return kit.ExitWith(kit.ExitBadNews)
	}
	return err
}

func (o *office) cleanupOne(ctx context.Context, m *crew.Member, options crew.CleanupOptions) crew.Cleanup {
	repo, err := o.repositoryOf(ctx, m)
	if err == nil {
		var r crew.Cleanup
		if r, err = o.Cleanup(ctx, repo, m, options); err == nil {
			return r
		}
	}
	return crew.Cleanup{Name: m.Name, Why: err.Error()}
}

// chosen are the named workers, or all whose tree may still be there.
func (o *office) chosen(ctx context.Context, words []string) ([]*crew.Member, error) {
	if len(words) == 0 {
		all, err := o.Look(ctx)
		if err != nil {
			return nil, kit.BadNews(err.Error())
		}
		var readable []*crew.Member
		for _, m := range crew.Living(all) {
			if m.Err == nil {
				readable = append(readable, m)
			}
		}
		return readable, nil
	}
	var members []*crew.Member
	for _, word := range words {
		m, err := o.member(ctx, word)
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

func cleanupText(a *kit.App, results []crew.Cleanup, o crew.CleanupOptions) error {
	removed, kept := "removed", "kept"
	if o.DryRun {
		removed, kept = "would be removed", "would be kept"
	}
	if len(results) == 0 {
		fmt.Fprintln(a.Stdout, "no worker has a tree")
	}
	forced := false
	for _, r := range results {
		text := fmt.Sprintf("%s  %s: %s", r.Name, kept, r.Why)
		if r.Removed {
			text = r.Name + "  tree " + removed
			if r.Kept != "" {
				text += fmt.Sprintf(" · state in snapshot %d, %s", r.Snapshot, r.Kept)
			}
			if r.Branch != "" {
				text += " · branch " + r.Branch + " stays"
			}
		}
		forced = forced || strings.Contains(r.Why, "changed: ")
		fmt.Fprintln(a.Stdout, plain.Line(text))
	}
	if forced && !o.Preserve {
		a.Hint("aburn cleanup --force-preserve keeps changes in a snapshot first")
	}
	return nil
}
