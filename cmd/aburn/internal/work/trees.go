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

	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/worker"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

func DiffCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "show what a worker changed",
		ArgsUsage: "NAME",
		Description: "Shows the changes since the worker's branch began, with files that it did not commit or add. If the worktree is gone, it\n" +
			"uses the last snapshot or the branch.\n\n" +
			"On a pipe it is a patch for `git apply`. On a terminal, control characters are shown as text.",
		Flags:         []cli.Flag{&cli.BoolFlag{Name: "stat", Usage: "only show how much changed in each file"}, kit.JSONFlag()},
		ArgValidator:  target.OneWorker,
		ShellComplete: target.CompleteWorkers(a),
		Metadata: kit.Examples("aburn diff fix-the-flaky-test", "aburn diff --stat fix", "aburn diff fix | git apply --index",
			"aburn diff --json fix | jq -r '.files[].path'"),
		Action: a.Action(runDiff),
	}
}

func runDiff(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	o, m, repo, err := openTree(ctx, a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	form := tree.Patch
	switch {
	case cmd.Bool("json") && cmd.Bool("stat"):
		return fault.Usage("--json says how much changed in which file already", "leave out --stat")
	case cmd.Bool("json"):
		form = tree.List
	case cmd.Bool("stat"):
		form = tree.Stat
	}
	text, left, from, err := describe.DiffIn(ctx, o.Manager, repo, m, form)
	if err != nil {
		return fault.Failed(err.Error())
	}
	if form == tree.List {
		return diffJSON(a, m, text, left, from)
	}
	for _, s := range left {
		a.Warn(describe.NotInDiff + s)
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

// DiffReport is what `aburn diff --json` prints.
type DiffReport struct {
	Worker  string         `json:"worker"`
	Branch  string         `json:"branch"`
	Base    string         `json:"base"`
	BaseRef string         `json:"base_ref,omitempty"`
	Note    string         `json:"note,omitempty"`
	Skipped []string       `json:"skipped,omitempty"`
	Files   []tree.Changed `json:"files"`
}

func diffJSON(a *kit.App, m *manager.Member, list string, left []string, from string) error {
	files, err := tree.ChangedFiles(list)
	if err != nil {
		return fault.Failed(err.Error())
	}
	return a.PrintJSON(DiffReport{m.Name, m.Request.Branch, m.Base(), m.Request.BaseRef, from, left, append([]tree.Changed{}, files...)})
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

// openTree opens the worker that the first argument means, and its repository.
func openTree(ctx context.Context, a *kit.App, cmd *cli.Command) (*projects.Project, *manager.Member, *tree.Repo, error) {
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := o.Member(ctx, cmd.Args().First())
	if err == nil {
		var repo *tree.Repo
		if repo, err = manager.RepositoryOf(ctx, o.Manager, m); err == nil {
			if m.IsRemote() && m.Ledger.Last(worker.Removed) == nil {
				now, _, err := control.FetchWork(ctx, o.Manager, repo, m)
				switch m = now; {
				case errors.Is(err, tree.ErrRewritten):
					a.Warn(err.Error()+", which is at refs/aburn/far/"+m.Name, "git log --oneline "+m.Request.Branch+" refs/aburn/far/"+m.Name)
				case err != nil:
					a.Warn("its work was not fetched, so this may be old: " + plain.Line(err.Error()))
				}
			}
			return o, m, repo, nil
		}
	}
	o.Close()
	return nil, nil, nil, err
}

func SnapshotsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "snapshots",
		Usage:     "list saved states of a worktree; restore one",
		ArgsUsage: "NAME",
		Description: "A snapshot has staged, unstaged and untracked files in a commit like a stash. aburn takes one when the agent ends,\n" +
			"before it removes a worktree, and with --take. The last 20 stay. Ignored files are in none.\n\n" +
			"--restore makes a new worktree from one. Plain git can apply it too: `git stash apply --index COMMIT`.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "take", Usage: "save the present state now"},
			&cli.IntFlag{Name: "restore", Usage: "make a worktree with the state of snapshot `N`"},
			&cli.StringFlag{Name: "into", Usage: "make it at `DIR` (default: where the worktree was)", TakesFile: true},
			kit.JSONFlag(),
		},
		ArgValidator:  target.OneWorker,
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn snapshots fix-the-flaky-test", "aburn snapshots --take fix", "aburn snapshots fix --restore 2 --into ../look"),
		Action:        a.Action(runSnapshots),
	}
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
		return fault.Usage("use only one of --take and --restore", "leave one out")
	case cmd.IsSet("into") && !cmd.IsSet("restore"):
		return fault.Usage("--into needs --restore N", "aburn snapshots --help")
	}
	o, m, repo, err := openTree(ctx, a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	switch {
	case cmd.Bool("take"):
		return take(ctx, o, a, cmd, repo, m)
	case cmd.IsSet("restore"):
		return restore(ctx, o, a, cmd, repo, m)
	}
	refs, err := repo.Refs(ctx, manager.SnapshotRefs(m.Name))
	if err != nil {
		return err
	}
	reports := []describe.SnapshotReport{}
	for i, e := range manager.Snapshots(m.Ledger) {
		reports = append(reports, describe.SnapshotReport{
			Number: i + 1, At: e.At, Kind: string(e.Kind), Commit: e.Commit, Ref: e.Ref, Changes: e.Changes, Skipped: e.Skipped, Dropped: refs[e.Ref] != e.Commit,
			Expired: manager.HasExpired(m.Ledger, e.Ref),
		})
	}
	if cmd.Bool("json") {
		return a.PrintJSON(reports)
	}
	return snapshotTable(a.Screen(cmd), m, reports)
}

func snapshotTable(out *term.Out, m *manager.Member, reports []describe.SnapshotReport) error {
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
			remark = strings.TrimSuffix("before its worktree was removed; "+remark, "; ")
		}
		switch {
		case r.Dropped && r.Expired:
			remark = "dropped, because its worktree is gone for long and commits have all of its changes"
		case r.Dropped:
			remark = "dropped for newer ones"
		}
		table.Add(strconv.Itoa(r.Number), r.At.Local().Format("2006-01-02 15:04:05"), changed, r.Commit, remark)
	}
	return table.Print(out, 0)
}

func take(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, m *manager.Member) error {
	if m.IsRemote() { // it was taken and brought
		fmt.Fprintf(a.Stdout, "%s  snapshot %d\n", m.Name, len(manager.Snapshots(m.Ledger)))
		return nil
	}
	k, fresh, err := manager.TakeSnapshot(ctx, o.Manager, repo, m)
	if err != nil {
		return fault.Failed(m.Name+": "+err.Error(), "aburn snapshots "+m.Name)
	}
	manager.CompareNow(ctx, o.Manager)
	if now, err := o.Load(ctx, m.Name); err == nil {
		m = now[0]
	}
	n := len(manager.Snapshots(m.Ledger))
	if cmd.Bool("json") {
		return a.PrintJSON(describe.SnapshotReport{Number: n, At: time.Now().UTC(), Kind: string(worker.Snapshotted), Commit: k.Commit, Ref: k.Ref,
			Changes: &k.Changes,
			Skipped: k.Skipped})
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

func restore(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, m *manager.Member) error {
	n := int(cmd.Int("restore"))
	all := manager.Snapshots(m.Ledger)
	if n < 1 || n > len(all) {
		return fault.Usage(fmt.Sprintf("%s has no snapshot %d", m.Name, n), "aburn snapshots "+m.Name)
	}
	into := m.Request.Tree
	if dir := cmd.String("into"); dir != "" {
		into = filepath.Clean(workspace.InFolder(o.Dir, dir))
	}
	onBranch, err := manager.RestoreSnapshot(ctx, o.Manager, repo, m, n, into)
	var problem *tree.Problem
	switch {
	case errors.As(err, &problem):
		return fault.Usage(problem.Text, problem.Advice)
	case err != nil:
		return fault.Failed(err.Error())
	case cmd.Bool("json"):
		return a.PrintJSON(RestoreReport{into, n, onBranch})
	}
	text := "on no branch"
	if onBranch {
		text = "on " + m.Request.Branch
	}
	_, err = fmt.Fprintln(a.Stdout, plain.Line(fmt.Sprintf("snapshot %d is in %s, %s", n, into, text)))
	return err
}
