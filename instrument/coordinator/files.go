package coordinator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"aburn/instrument"
	"aburn/instrument/edit"
	"aburn/instrument/telemetry"
	"aburn/internal/scrub"
)

// files asks about one file after the other, or about some at once, and writes what
// passed in their order.
func (r *runner) files(ctx context.Context) (_ Data, err error) {
	defer func() {
		if late := r.drain(); late != nil {
			err = errors.Join(err, late)
		}
	}()
	s := r.book.state
	total, since := len(s.Order), len(s.Files)-s.Good
	due := func() bool {
		every := r.o.Config.SchemaCheckpointInterval
		return !r.o.DryRun && every > 0 && since >= every
	}
	if due() { // a kill came between the file and its checkpoint
		if err := r.checkpoint(ctx, false); err != nil {
			return nil, err
		}
		since = 0
	}
	for i, f := range r.survey.Files {
		if err := r.askAhead(ctx, r.survey.Files[i:min(i+r.o.Config.Concurrency, len(r.survey.Files))]); err != nil {
			return nil, err
		}
		n := len(s.Files)
		if r.cb.OnFileStart != nil {
			r.cb.OnFileStart(f.Path, n, total)
		}
		r.tell(Files, Started, Data{"file": f.Path, "n": n + 1, "of": total})
		file, err := r.file(ctx, f)
		if err != nil {
			return nil, err
		}
		if err := r.book.write(entry{Kind: kFile, Path: f.Path, File: file}); err != nil {
			return nil, err
		}
		r.tell(Files, Completed, fileData(file))
		if r.cb.OnFile != nil {
			r.cb.OnFile(file, n, total)
		}
		if file.Commit != "" {
			since++
		}
		if due() {
			if err := r.checkpoint(ctx, false); err != nil {
				return nil, err
			}
			since = 0
		}
	}
	return Data{"files": len(s.Files)}, nil
}

func fileData(f *File) Data {
	rules := []string{}
	for _, b := range f.Blocking {
		if !slices.Contains(rules, b.Rule) {
			rules = append(rules, b.Rule)
		}
	}
	return Data{"file": f.Path, "status": string(f.Status), "spans": f.SpansAdded, "calls": f.Calls, "tokens": f.Usage.Total(), "rules": rules}
}

// file plans one file, and writes and commits it if its plan passed.
func (r *runner) file(ctx context.Context, f *scanFile) (done *File, err error) {
	ctx, span := r.o.Trace.Start(ctx, telemetry.File)
	defer func() {
		if done != nil {
			span.Number("aburn.instrument.calls", done.Calls)
			span.Number("aburn.instrument.tokens", done.Usage.Total())
			done.Tell(span)
		}
		span.End(err)
	}()
	if !r.o.DryRun {
		if err := r.refresh(); err != nil {
			return nil, err
		}
	}
	source, err := instrument.ReadSource(r.o.Dir, f.Path)
	if err != nil || instrument.SourceHash(source) != f.Source || slices.Contains(r.left, f.Path) {
		return r.untouched(f, instrument.ErrChanged.Error()), nil
	}
	file, work, plan, err := r.askFile(ctx, f, source)
	if err != nil {
		return nil, err
	}
	if work == nil || file.Status != instrument.Success {
		return file, nil
	}
	plan = withoutDropped(plan, file.FileResult)
	r.planned, file.Functions = append(r.planned, plan), made(plan)
	file.ResultHash = instrument.SourceHash(file.After)
	r.created += file.AttributesCreated
	if r.o.DryRun {
		r.now = work.Contract
		return file, nil
	}
	return file, r.write(ctx, file, work)
}

func (r *runner) untouched(f *scanFile, why string) *File {
	return &File{FileResult: instrument.NewFileResult(f.Path, instrument.Failed, why), Strategy: r.o.Config.Mode, ErrorProgression: []string{},
		Libraries: []string{}, Functions: []Function{}, SourceHash: f.Source, Agent: r.agent()}
}

// refresh reads the registry anew: a person may have added to it meanwhile.
func (r *runner) refresh() error {
	now, err := instrument.ReadContract(r.o.Dir, r.o.Config)
	if err != nil {
		return &stop{"the registry has an error by now: " + err.Error()}
	}
	r.now = now
	return nil
}

// write puts a file on disk and commits it with what the registry got for it. Each
// step is in the journal before it counts, so that a kill leaves nothing unknown.
func (r *runner) write(ctx context.Context, f *File, work *instrument.RunResult) error {
	if err := r.stays(ctx); err != nil {
		return err
	}
	if err := r.book.write(entry{Kind: kAccepted, Path: f.Path, File: f, Registry: r.wrote(work)}); err != nil {
		return err
	}
	if err := work.Write(r.o.Dir); err != nil || work.Failed > 0 {
		if err == nil {
			err = errors.New(work.Files[0].Reason)
		}
		return errors.Join(r.takeBack(ctx, f), r.fail(f, "it could not be written: %v", err))
	}
	r.book.at("written " + f.Path)
	return r.commitFile(ctx, f)
}

func (r *runner) fail(f *File, format string, args ...any) error {
	why, _ := scrub.Text(fmt.Sprintf(format, args...)) // of a hook, perhaps
	f.Status, f.Reason, f.SpansAdded, f.AttributesUsed, f.AttributesCreated, f.SchemaExtensions, f.Functions = instrument.Failed, why, 0, 0, 0, []string{},
		[]Function{}
	return nil
}

func (r *runner) commitFile(ctx context.Context, f *File) error {
	files := append(slices.Sorted(maps.Keys(f.extended)), f.Path)
	if err := r.stays(ctx); err != nil {
		return errors.Join(r.takeBack(ctx, f), err)
	}
	text, err := instrument.ReadSource(r.o.Dir, f.Path)
	if err != nil || instrument.SourceHash(text) != f.ResultHash {
		return errors.Join(r.takeBack(ctx, f), r.fail(f, "%v", instrument.ErrChanged))
	}
	proved, err := r.repo.git.Feed(ctx, string(text), "hash-object", "--stdin", "--path="+f.Path)
	if err != nil {
		return err
	}
	hash, err := r.repo.commit(ctx, message(r.o.Run, f), files)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errors.Join(r.takeBack(ctx, f), r.fail(f, "git refused the commit, so the file is as it was: %v", err))
	}
	r.book.at("committed " + f.Path)
	f.Commit = hash
	return r.verify(ctx, f, proved, files)
}

// verify looks at what a commit has of a file. A hook of the repository, or a person, may have changed it while git
// committed: that is no text that was proved, so the commit is undone. What a person wrote stays on disk.
func (r *runner) verify(ctx context.Context, f *File, proved string, files []string) error {
	if f.Commit == "" {
		return nil
	}
	blob, err := r.repo.git.Out(ctx, "rev-parse", f.Commit+":./"+f.Path)
	if err != nil || blob == proved {
		return err
	}
	committed, err := r.repo.at(ctx, f.Commit, f.Path)
	if err != nil {
		return err
	}
	if err := r.repo.undo(ctx, f.Commit, files); err != nil {
		return err
	}
	// What a hook made of it is as well on disk: no person did that.
	hooked := *f
	hooked.ResultHash = instrument.SourceHash(committed)
	f.Commit = ""
	if r.repo.hooks {
		return errors.Join(r.takeBack(ctx, &hooked), r.takeBack(ctx, f),
			r.fail(f, "a hook of the repository changed it as it was committed, so nothing proves it; it is as it was"))
	}
	return errors.Join(r.takeBack(ctx, f), r.fail(f, "%v", instrument.ErrChanged))
}

func withoutDropped(p instrument.Planned, f *instrument.FileResult) instrument.Planned {
	p.Functions = slices.DeleteFunc(slices.Clone(p.Functions), func(c edit.Choice) bool {
		return c.Action == "span" && slices.ContainsFunc(f.Drops, func(d dropped) bool { return d.Function == c.ID && d.Attribute == "" })
	})
	for i, c := range p.Functions {
		p.Functions[i].Attributes = slices.DeleteFunc(slices.Clone(c.Attributes), func(a edit.Attribute) bool {
			return slices.ContainsFunc(f.Drops, func(d dropped) bool { return d.Function == c.ID && d.Attribute == a.Key })
		})
	}
	return p
}
