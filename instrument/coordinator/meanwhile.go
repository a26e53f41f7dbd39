package coordinator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"aburn/instrument"
	"aburn/instrument/jsproject"
	"aburn/internal/atomicfile"
)

// What a person does while a run works stays as it is. A run changes, and takes back, only
// files whose text it knows: the original, or its own. It commits only on its own branch,
// and only files that it wrote.

// stays stops a run when the project is on another branch: what follows belongs on the run's own.
func (r *runner) stays(ctx context.Context) error {
	on, err := r.repo.on(ctx)
	if err != nil || on == r.book.state.Branch {
		return err
	}
	return &stop{fmt.Sprintf("the project is on %s by now, not on the run's branch %s; aburn instrument resume goes back there", on, r.book.state.Branch)}
}

// moved ends a file's attempts when its text is no longer the one that was asked about: the
// proof would be about another file.
func (a *attempts) moved(work *instrument.RunResult) bool {
	f := work.Files[0]
	if bytes.Equal(f.Before, a.source) {
		return false
	}
	f.Status, f.Reason, f.SpansAdded, f.AttributesUsed = instrument.Failed, instrument.ErrChanged.Error(), 0, 0
	a.best, a.file.LastError = work, f.Reason
	a.file.ErrorProgression = append(a.file.ErrorProgression, "the file changed")
	return true
}

// wrote are the files of the registry that a file's extension changes, with the SHA-256 of
// the text that it gives them.
func (r *runner) wrote(work *instrument.RunResult) map[string]string {
	hashes := map[string]string{}
	for _, name := range work.RegistryFiles {
		hashes[name] = instrument.SourceHash(work.Registry[path.Base(name)])
	}
	return hashes
}

// takeBack makes a file, and what the registry got for it, what HEAD has. A text that is
// not aburn's stays.
func (r *runner) takeBack(ctx context.Context, f *File) (err error) {
	hashes := map[string]string{f.Path: f.ResultHash}
	for name, hash := range f.extended {
		hashes[name] = hash
	}
	for name, hash := range hashes {
		now, missing := os.ReadFile(filepath.Join(r.repo.dir, filepath.FromSlash(name)))
		if missing != nil || instrument.SourceHash(now) != hash {
			continue
		}
		if e := r.repo.restore(ctx, "HEAD", name, now); e != nil && !errors.Is(e, instrument.ErrChanged) {
			err = errors.Join(err, e)
		}
		_, reset := r.repo.git.Out(ctx, "reset", "--quiet", "HEAD", "--", name)
		_ = reset // a file that HEAD does not have makes it fail, and is gone
	}
	return err
}

// takeBackSupplied makes package.json and lock files what HEAD has, if a kill came before what was installed could be
// committed. They all stay if somebody changed package.json otherwise too.
func (r *runner) takeBackSupplied(ctx context.Context) error {
	type change struct{ now, was []byte }
	changes := map[string]change{}
	for _, f := range r.book.state.supplying {
		isManifest := path.Base(f) == "package.json"
		if !isManifest && !jsproject.IsLock(f) {
			continue
		}
		now, missing := os.ReadFile(filepath.Join(r.repo.dir, filepath.FromSlash(f)))
		was, err := r.repo.at(ctx, "HEAD", f)
		switch {
		case err != nil:
			return err
		case missing != nil || was == nil:
		case isManifest && !jsproject.OnlyInstalls(was, now):
			return nil
		default:
			changes[f] = change{now, was}
		}
	}
	for f, c := range changes {
		if bytes.Equal(c.now, c.was) {
			continue
		}
		file := filepath.Join(r.repo.dir, filepath.FromSlash(f)) // a lock file may lie above the project
		err := atomicfile.Write(file, c.was, 0o644, atomicfile.Options{Sync: true, Check: func() error {
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, c.now) {
				return instrument.ErrChanged
			}
			return nil
		}})
		if err != nil && !errors.Is(err, instrument.ErrChanged) {
			return err
		}
	}
	return nil
}

// between makes a file of the run what it was with or without its spans. changed says that
// it is neither, so that somebody changed it; it is left alone then.
func (r *runner) between(ctx context.Context, f *File, with bool) (changed bool, err error) {
	now, err := os.ReadFile(filepath.Join(r.repo.dir, filepath.FromSlash(f.Path)))
	if err != nil {
		return true, nil
	}
	want, other := f.Commit+"^", f.Commit
	if with {
		want, other = other, want
	}
	for _, commit := range []string{want, other} {
		text, err := r.repo.at(ctx, commit, f.Path)
		switch {
		case err != nil:
			return false, err
		case !bytes.Equal(text, now):
		case commit == want:
			return false, nil
		default:
			err := r.repo.restore(ctx, want, f.Path, now)
			if errors.Is(err, instrument.ErrChanged) {
				return true, nil
			}
			return false, err
		}
	}
	return true, nil
}
