package undo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/history/turns"
	"aburn/history/undo"
	"aburn/internal/fault"
	"aburn/internal/git"
	"aburn/internal/plain"
	"aburn/internal/snapshot"
	"aburn/internal/workspace"
)

// Command is aburn undo.
func Command(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "undo",
		Usage:     "take back what a session changed, not what you changed",
		ArgsUsage: "[SESSION|last] [FILE…]",
		Description: "Sets files back to their state at the session's last prompt, or at --to. It shows a table first and asks.\n" +
			"Only changes by the session's calls are taken back, also those of its commands. Yours are merged or left, and named.\n" +
			"It needs snapshots: set \"snapshots\": \"prompts\" in your own settings.json. Commits stay. The agent is told at its next prompt.\n\n" +
			"Exit code 1 if a file is left because you changed it too, or because nothing says whose change it is.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "go back to this `PROMPT`: its number in the session, #NUMBER of its log entry, or the entry's id"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would happen"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "don't ask"},
			&cli.BoolFlag{Name: "ours", Usage: "where you changed a file too, keep it as it is; exit 0"},
			&cli.BoolFlag{Name: "theirs", Usage: "where you changed a file too, go back to the old state; of a FILE also where nobody knows whose change it is"},
			&cli.BoolFlag{Name: "redo", Usage: "take the last undo back"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples(
			"aburn undo --dry-run",
			"aburn undo last src/parser.go",
			"aburn undo 7b1c2f91 --to 2",
			"aburn undo --redo",
		),
		Action: a.Action(run),
	}
}

// job is one run of the command.
type job struct {
	a    *kit.App
	cmd  *cli.Command
	w    *workspace.Workspace
	tree *snapshot.Tree
	s    *undo.Store
	now  time.Time
}

func run(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.Bool("ours") && cmd.Bool("theirs") {
		return fault.Usage("--ours and --theirs exclude each other")
	}
	if cmd.Bool("redo") && (cmd.Args().Present() || cmd.IsSet("to") || cmd.Bool("ours") || cmd.Bool("theirs")) {
		return fault.Usage("--redo takes the whole last undo back", "aburn undo --redo")
	}
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	if !w.Marked {
		return workspace.NotTrusted(w.Project)
	}
	tree, _, err := turns.Open(ctx, git.In(w.Worktree, os.Environ()))
	if err != nil {
		return explained(err)
	}
	scratch, err := os.MkdirTemp("", "aburn-undo-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	j := &job{a: a, cmd: cmd, w: w, tree: tree, now: time.Now(), s: &undo.Store{Tree: tree, Scratch: scratch}}
	pending, err := j.s.Load(ctx, undo.PendingRef)
	if err != nil {
		return fault.Failed("an undo was interrupted and can't be read: "+err.Error(), "git update-ref -d "+undo.PendingRef)
	}
	switch {
	case pending != nil && cmd.Bool("dry-run"):
		return fault.Failed("an undo was interrupted", "aburn undo finishes it", "aburn undo --redo takes it back")
	case pending != nil:
		return j.recover(ctx, pending)
	case cmd.Bool("redo"):
		return j.redo(ctx)
	}
	return j.undo(ctx)
}

// explained is an error of git with a hint.
func explained(err error) error {
	if text, hint := noSnapshot(err); text != "" {
		return fault.Failed(text, hint)
	}
	if errors.Is(err, undo.ErrMissing) {
		return fault.Failed(err.Error(), "git fsck --connectivity-only")
	}
	return err
}

// asked is what the command line asks for.
type asked struct {
	session string
	to      taken
	prompt  prompt
	q       undo.Question
	record  *record
}

// ask reads the command line and the log.
func (j *job) ask(ctx context.Context) (x asked, err error) {
	rel, err := filepath.Rel(j.tree.Path, j.w.Worktree)
	if err != nil {
		return x, err
	}
	if x.record, err = readLog(j.w, rel, j.now); err != nil {
		return x, err
	}
	args := j.cmd.Args().Slice()
	if len(args) > 0 {
		id, ok, err := x.record.session(args[0])
		switch {
		case err != nil:
			return x, err
		case ok:
			x.session, args = id, args[1:]
		case !j.isFile(args[0]):
			return x, fault.Usage("no session of this worktree and no file here is named "+fault.Quote(args[0]), "aburn sessions")
		}
	}
	if x.session == "" {
		if x.session, _, err = x.record.session("last"); err != nil {
			return x, err
		}
	}
	if x.to, x.prompt, err = x.record.target(x.session, j.cmd.String("to")); err != nil {
		return x, err
	}
	x.q = undo.Question{Session: x.session, Calls: x.record.calls, Own: turns.IsOwn}
	if j.cmd.Bool("theirs") {
		x.q.Side = undo.Theirs
	}
	for _, file := range args {
		rel, err := j.relative(file)
		if err != nil {
			return x, err
		}
		x.q.Only = append(x.q.Only, rel)
	}
	x.q.Snapshots, err = j.snapshots(ctx, x.record, x.to)
	return x, err
}

// isFile reports whether a word looks like a file of the worktree, which may be gone.
func (j *job) isFile(word string) bool {
	_, err := os.Lstat(j.w.Resolve(word))
	return err == nil || strings.ContainsAny(word, "./")
}

// relative is a file from the root of the worktree.
func (j *job) relative(file string) (string, error) {
	full := j.w.Resolve(file)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(dir, filepath.Base(full))
	}
	rel, err := filepath.Rel(j.tree.Path, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fault.Usage(fault.Quote(file)+" is outside of the worktree "+j.tree.Path, "aburn undo --dry-run")
	}
	return filepath.ToSlash(rel), nil
}

// snapshots are those from the one to go back to on, as far as git still has them.
func (j *job) snapshots(ctx context.Context, r *record, to taken) (list []undo.Snapshot, err error) {
	list = append(list, to.Snapshot)
	var in strings.Builder
	var later []undo.Snapshot
	for _, t := range r.taken {
		if t.Commit != "" && t.Time.After(to.Time) {
			later = append(later, t.Snapshot)
			in.WriteString(t.Commit + "^{tree}\n")
		}
	}
	if code, _, err := j.tree.Git.Code(ctx, "cat-file", "-e", to.Commit+"^{tree}"); err != nil || code != 0 {
		return nil, errors.Join(err, fault.Failed("the snapshot "+to.Ref+" is gone", r.hintOther(to.session)...))
	}
	if len(later) == 0 {
		return list, nil
	}
	out, err := j.tree.Git.Feed(ctx, in.String(), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(out, "\n") {
		if i < len(later) && !strings.HasSuffix(line, "missing") {
			list = append(list, later[i])
		}
	}
	return list, nil
}

// snap takes a snapshot of now. Without a name nothing refers to it.
func (j *job) snap(ctx context.Context, session string, named bool) (undo.Snapshot, turns.Taken, error) {
	t, err := takeSnapshot(ctx, j.w, session, func() bool { return named }, func(turns.Taken) error { return nil })
	if err != nil && !(errors.Is(err, turns.ErrLate) && !named) {
		return undo.Snapshot{}, t, explained(err)
	}
	return undo.Snapshot{Ref: t.Ref, Commit: t.Commit, Time: t.At}, t, nil
}

func (j *job) undo(ctx context.Context) error {
	x, err := j.ask(ctx)
	if err != nil {
		return explained(err)
	}
	seen, state, err := j.snap(ctx, x.session, false)
	if err != nil {
		return err
	}
	old := x.q.Snapshots
	x.q.Snapshots = append(slices.Clone(old), seen)
	answer, err := j.s.Ask(ctx, x.q)
	if err != nil {
		return explained(err)
	}
	report := j.report(&x, &answer, state.Skipped)
	todo := report.todo()
	if j.cmd.Bool("dry-run") || todo == 0 {
		return j.print(report)
	}
	if !j.cmd.Bool("json") {
		j.show(report)
	}
	if !j.cmd.Bool("yes") {
		if j.cmd.Bool("json") || !j.a.CanAsk(j.cmd) {
			return fault.Usage("nobody is there to ask", "pass --yes to skip the question, or --dry-run")
		}
		if !j.a.Confirm("Set " + plain.Plural(int64(todo), "file") + " back?") {
			return fault.Exit(1)
		}
	}
	now, _, err := j.snap(ctx, x.session, true)
	if err != nil {
		return err
	}
	if x.q.Snapshots = append(slices.Clone(old), now); now.Commit != seen.Commit {
		again, err := j.s.Ask(ctx, x.q)
		if err != nil {
			return explained(err)
		}
		if !slices.EqualFunc(again.Steps, answer.Steps, func(a, b undo.Step) bool {
			return a.Path == b.Path && a.Action == b.Action && a.From == b.From && a.To == b.To
		}) {
			return fault.Failed("files changed while you looked at the table: nothing was written", "aburn undo")
		}
		answer = again
	}
	plan, err := j.s.Do(ctx, x.q, &answer)
	if err != nil {
		return j.failed(err)
	}
	if err := j.finish(ctx, plan, false); err != nil {
		return err
	}
	report.Files, report.Undone, report.Before = plan.Steps, plan.Commit != "", plan.Before
	return j.done(report)
}

// failed is an error of a write that began.
func (j *job) failed(err error) error {
	return fault.Failed("the undo is not complete: "+err.Error(), "aburn undo finishes it", "aburn undo --redo takes it back")
}

// redo takes the last undo back.
func (j *job) redo(ctx context.Context) error {
	done, err := j.s.Load(ctx, undo.DoneRef)
	if err != nil {
		return explained(err)
	}
	if done == nil {
		return fault.Failed("there is no undo to take back in this worktree", "aburn undo --dry-run")
	}
	report := &Report{Session: done.Session, To: done.Before, Redo: true, Files: done.Steps}
	if j.cmd.Bool("dry-run") {
		return j.print(report)
	}
	if !j.cmd.Bool("yes") && j.a.CanAsk(j.cmd) && !j.cmd.Bool("json") {
		if !j.a.Confirm("Take the undo of " + plain.Plural(int64(len(done.Moves)), "file") + " back?") {
			return fault.Exit(1)
		}
	}
	now, _, err := j.snap(ctx, done.Session, true)
	if err != nil {
		return err
	}
	plan, err := j.s.Redo(ctx, done, now)
	if err != nil {
		return j.failed(err)
	}
	if err := j.finish(ctx, plan, true); err != nil {
		return err
	}
	report.Files, report.Undone, report.Before = plan.Steps, true, plan.Before
	return j.done(report)
}

// recover finishes an undo that was interrupted, or with --redo takes it back.
func (j *job) recover(ctx context.Context, p *undo.Plan) error {
	root, err := os.OpenRoot(j.tree.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	report := &Report{Session: p.Session, To: p.To, Before: p.Before, Redo: p.Redo, Resumed: true}
	if back := j.cmd.Bool("redo"); back {
		if err := p.TakeBack(root); err != nil {
			return j.failed(err)
		}
		report.Files = p.Steps
		if err := j.s.AbandonPending(ctx, p); err != nil {
			return err
		}
		j.a.Note("the interrupted undo is taken back")
		return j.done(report)
	}
	if err := p.Apply(root); err != nil {
		return j.failed(err)
	}
	if err := j.finish(ctx, p, p.Redo); err != nil {
		return err
	}
	report.Files, report.Undone = p.Steps, true
	j.a.Note("the interrupted undo is complete")
	return j.done(report)
}
