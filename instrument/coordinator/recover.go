package coordinator

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/instrument"
	"aburn/instrument/scan"
)

type scanFile = scan.File

// recover brings a project that a run left in the middle to where its journal is. A
// file that somebody changed since is left alone.
func (r *runner) recover(ctx context.Context, branch string) error {
	s := r.book.state
	if s.End != "" && s.End != "stopped" {
		return abort(Prepare, "aburn instrument PATH… begins another one", "the run %s has ended: %s", r.o.Run, s.End)
	}
	s.End = ""
	if r.o.DryRun {
		return nil
	}
	if s.Branch == "" {
		return r.cleanBefore(ctx, branch)
	}
	if err := r.toBranch(ctx); err != nil {
		return err
	}
	for path, f := range s.pending {
		if err := r.finishPending(ctx, path, f); err != nil {
			return err
		}
	}
	if err := r.bisected(ctx); err != nil {
		return err
	}
	return r.changedSince(ctx)
}

// changedSince finds what git does not have as it is, before the run goes on: somebody changed it after the run had
// stopped. Files of code are left alone when their turn comes.
func (r *runner) changedSince(ctx context.Context) error {
	own, err := r.repo.dirty(ctx, slices.DeleteFunc(r.repo.own(), func(name string) bool {
		_, err := os.Lstat(filepath.Join(r.repo.dir, filepath.FromSlash(name)))
		return err != nil // the run has not begun it
	}))
	if err != nil {
		return err
	}
	if len(own) > 0 {
		return abort(Prepare, "commit first, so that git can show what aburn changed", "%s: not committed as it is", strings.Join(own, ", "))
	}
	r.left, err = r.repo.dirty(ctx, r.book.state.Remaining())
	return err
}

// cleanBefore looks at a run that was killed before it had a branch: nothing was written.
func (r *runner) cleanBefore(ctx context.Context, branch string) error {
	if branch != r.book.state.Base {
		return abort(Prepare, "git switch "+r.book.state.Base, "the run began on %s, and this is %s", r.book.state.Base, branch)
	}
	r.o.Selection = &instrument.Selection{Files: r.book.state.Order}
	return r.clean(ctx)
}

// finishPending ends what a kill interrupted between a file's acceptance and the
// journal's word that it is done.
func (r *runner) finishPending(ctx context.Context, path string, f *File) error {
	now, err := instrument.ReadSource(r.o.Dir, path)
	switch hash := instrument.SourceHash(now); {
	case err != nil, hash != f.SourceHash && hash != f.ResultHash:
		if err := r.fail(f, "the file changed after the run had stopped; it was left alone"); err != nil {
			return err
		}
	case hash == f.ResultHash:
		if err := r.commitFile(ctx, f); err != nil {
			return err
		}
		if f.Commit == "" && f.Status == instrument.Success { // it was committed before the kill
			if f.Commit, err = r.repo.git.Out(ctx, "rev-list", "-1", "HEAD", "--", path); err != nil {
				return err
			}
		}
	default: // of the file nothing was written, of the registry perhaps: it is planned anew from the paid answer
		delete(r.book.state.pending, path)
		return r.takeBack(ctx, f)
	}
	return r.book.write(entry{Kind: kFile, Path: path, File: f})
}

// bisected puts back files that a search for a guilty one had taken out.
func (r *runner) bisected(ctx context.Context) error {
	for _, f := range r.book.state.Files {
		if f.Commit == "" || f.Reverted != "" {
			continue
		}
		now, err := instrument.ReadSource(r.o.Dir, f.Path)
		if err != nil || instrument.SourceHash(now) != f.SourceHash {
			continue
		}
		head, err := r.repo.at(ctx, "HEAD", f.Path)
		if err != nil {
			return err
		}
		if bytes.Equal(head, now) { // the revert was committed; the journal does not say so yet
			if err := r.book.write(entry{Kind: kRevert, Path: f.Path, Text: revertedText}); err != nil {
				return err
			}
			continue
		}
		if err := r.repo.restore(ctx, "HEAD", f.Path, now); err != nil {
			return err
		}
	}
	return nil
}

// End marks a run as aborted, after what it left open was taken back. It deletes nothing:
// its branch and its journal stay. It says which branch the project is on.
func End(ctx context.Context, o Options) (branch string, err error) {
	state, err := ReadState(o.Folder)
	if err != nil {
		return "", err
	}
	r := &runner{o: o, book: &book{folder: o.Folder, state: state, now: o.Now}, repo: newRepository(o)}
	if !state.Began {
		return "", abort(Prepare, "aburn instrument status lists runs", "the run %s never began", o.Run)
	}
	on, err := r.repo.on(ctx)
	if err != nil {
		return "", err
	}
	if state.Branch != "" && on == state.Branch {
		for path, f := range state.pending {
			if now, err := instrument.ReadSource(o.Dir, path); err == nil && slices.Contains([]string{f.SourceHash, f.ResultHash}, instrument.SourceHash(now)) {
				if err := r.takeBack(ctx, f); err != nil {
					return on, err
				}
			}
		}
		if err := r.bisected(ctx); err != nil {
			return on, err
		}
		if err := r.takeBackSupplied(ctx); err != nil {
			return on, err
		}
		if err := r.toBase(ctx); err != nil {
			return on, abort(Prepare, "git status shows what is in the way", "git does not go back to %s: %v", state.Base, err)
		}
		on = state.Base
	}
	return on, r.book.write(entry{Kind: kEnd, Text: "aborted"})
}
