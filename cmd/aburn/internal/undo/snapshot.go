// Package undo has the command that takes back what a session changed, and the one that hooks start for it.
package undo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/history/turns"
	"aburn/hooks"
	"aburn/internal/git"
	"aburn/internal/journal"
	"aburn/internal/scrub"
	"aburn/internal/snapshot"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

// SnapshotCommand is what hooks start at prompts.
func SnapshotCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "turn-snapshot", Hidden: true, Usage: "take a snapshot of a session's worktree, for hooks",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "of this `SESSION`"},
			&cli.StringFlag{Name: "at", Usage: "`WHEN`: prompt, call or stop"},
			&cli.StringFlag{Name: "of", Usage: "`ID` of the entry or call"},
		},
		ArgValidator: kit.NoArguments,
		Action:       a.Action(runSnapshot),
	}
}

func runSnapshot(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	session, at, of := cmd.String("session"), cmd.String("at"), cmd.String("of")
	waited := at == string(hooks.AtPrompt) || at == string(hooks.AtCall)
	inTime := func() bool { return !waited || hooks.SnapshotDone(w.Oss, session, of) }
	note := func(data *logfmt.Object) error {
		e := &logfmt.Entry{Time: time.Now(), Cmd: logfmt.SessionCmd, Event: logfmt.Snapshot, Session: logfmt.SessionID(session), Source: "aburn", Wt: w.Wt,
			Data: data.Bytes()}
		_, err := w.Log.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} })
		return err
	}
	_, err = takeSnapshot(ctx, w, session, inTime, func(t turns.Taken) error {
		var o logfmt.Object
		o.Str("at", at).StrIf("of", of).Str("commit", t.Commit).Str("ref", t.Ref).Str("taken", t.At.UTC().Format("2006-01-02T15:04:05.000Z"))
		addSkipped(&o, t.Skipped)
		return note(&o)
	})
	switch {
	case err == nil || errors.Is(err, turns.ErrLate): // the hook has said it
		return nil
	case waited && !hooks.SnapshotDone(w.Oss, session, of):
		return err
	}
	var o logfmt.Object
	reason, _ := scrub.Text(err.Error())
	return errors.Join(err, note(o.Str("at", at).StrIf("of", of).Str("reason", reason)))
}

func addSkipped(o *logfmt.Object, list []string) {
	if len(list) == 0 {
		return
	}
	b := []byte{'['}
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		s, _ = scrub.Text(s)
		b = logfmt.AppendString(b, s)
	}
	o.Raw("skipped", append(b, ']'))
}

// takeSnapshot takes a snapshot of the worktree that a command is about.
func takeSnapshot(ctx context.Context, w *workspace.Workspace, session string, inTime func() bool, record func(turns.Taken) error) (turns.Taken, error) {
	if err := w.Oss.Mkdir(hooks.SnapshotsDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return turns.Taken{}, err
	}
	files, err := w.Oss.OpenRoot(hooks.SnapshotsDir)
	if err != nil {
		return turns.Taken{}, err
	}
	defer files.Close()
	p := turns.Place{Files: files, Dir: w.Worktree, Git: git.In(w.Worktree, os.Environ()), Now: time.Now()}
	return turns.Take(ctx, p, session, inTime, record)
}

// noSnapshot says why a worktree can have no snapshot, with what can be done.
func noSnapshot(err error) (text, hint string) {
	switch {
	case errors.Is(err, turns.ErrNoWorktree):
		return "this folder is not in a git worktree, so there are no snapshots", "git init, and commit once"
	case errors.Is(err, turns.ErrOwner):
		return "another user owns the repository", "git config --global --add safe.directory " + strings.TrimPrefix(err.Error(), turns.ErrOwner.Error()+": ")
	case errors.Is(err, snapshot.ErrNoCommit):
		return "the branch has no commit yet, so there are no snapshots", "git commit"
	case errors.Is(err, git.ErrNone):
		return "git is not installed", "install git 2.38 or later"
	}
	return "", ""
}
