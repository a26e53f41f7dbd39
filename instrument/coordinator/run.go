package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/jsproject"
	"aburn/instrument/provider"
	"aburn/instrument/registry"
	"aburn/instrument/rules"
	"aburn/instrument/telemetry"
	"aburn/internal/scrub"
)

// Waits for a provider that takes no more questions.
const (
	minWait = time.Second
	maxWait = 15 * time.Minute
)

// Options are what a run works with. The caller looked who may start what.
type Options struct {
	Dir       string // the project's folder
	Selection *instrument.Selection
	Config    instrument.Config
	Environ   []string // the person's environment; programs see what is harmless of it
	Run       string   // the run's id
	Folder    *os.Root // the run's own folder, for its journal; nil keeps none
	Engine    jsast.Engine
	Provider  provider.Provider
	Price     Price
	Most      Price                 // for the ceiling, where the model is the provider's own; nil for Price
	Formatter *instrument.Formatter // nil for none
	Linter    *instrument.Linter    // nil for none
	Tests     []string              // the permitted test command; nil for none
	Hooks     bool                  // git's hooks are permitted
	Trusted   bool                  // the person trusts the project
	DryRun    bool                  // write nothing, make no branch, run no tests
	Branch    string                // "" is aburn/instrument-RUN
	NoPR      bool
	NoTests   bool // whatever Tests says
	NoInstall bool // whatever Permit says
	// Permit says whether an installation may be started; nil permits none.
	Permit  func(*jsproject.Installation) bool
	Version string // aburn's
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error
	// Trace gets spans of the run's own work; nil for none.
	Trace *telemetry.Tracer
	// Text words a result for the pull request; nil makes none.
	Text func(*Result) (title, body string)

	step func(kind string) // of tests
}

type runner struct {
	o       Options
	cb      Callbacks
	repo    *repository
	book    *book
	survey  *Survey
	now     *instrument.Contract // the registry as it is by now; nil without one
	second  registry.Weaver      // judges the registry beside aburn; nil for none
	left    []string             // files that somebody changed before the run went on
	noAPI   bool                 // tests cannot load the spans
	created int                  // attributes that the run added to it
	start   *registry.Resolved
	result  *Result
	planned []instrument.Planned
	ahead   ahead
}

// Run makes a run, or goes on with the one whose journal is in o.Folder. The error is
// *Abort or *Declined where nothing was written, or the context's; else there is a result.
func Run(ctx context.Context, o Options, cb Callbacks) (*Result, error) {
	state := &State{}
	var err error
	if o.Folder != nil {
		state, err = ReadState(o.Folder)
		if err != nil {
			return nil, err
		}
	} else {
		state.answers, state.pending = map[string]map[int]*Answer{}, map[string]*File{}
	}
	switch {
	case state.Began && state.Dry != o.DryRun:
		return nil, abort(Prepare, "", "whether a run writes is said where it begins")
	case state.Dry: // it wrote nothing: all is made anew of the answers that were paid for
		state.Files, state.pending = nil, map[string]*File{}
	}
	if state.Began {
		o.NoPR, o.NoTests, o.NoInstall = o.NoPR || state.NoPR, o.NoTests || state.NoTests, o.NoInstall || state.NoInstall
		o.Branch = cmp.Or(o.Branch, state.Named)
	}
	if o.NoTests {
		o.Tests = nil
	}
	if o.NoInstall {
		o.Permit = nil
	}
	r := &runner{o: o, cb: cb, ahead: ahead{out: map[string]*asking{}}, book: &book{folder: o.Folder, state: state, now: o.Now, step: o.step}}
	r.repo = newRepository(o)
	r.result = &Result{Run: o.Run, Provider: o.Provider.Name(), Model: o.Config.AgentModel, RunResult: &instrument.RunResult{
		SchemaDiff: []registry.Change{}, RegistryFiles: []string{}, Libraries: []string{}, Warnings: []string{}, Findings: []rules.Finding{},
		LibrariesInstalled: []string{}, LibraryFailures: []string{},
	}}
	ctx, span := o.Trace.Start(ctx, telemetry.Run)
	span.Text("aburn.instrument.run", o.Run)
	if err := r.untilAccepted(ctx); err != nil {
		span.End(err)
		return nil, err
	}
	err = r.afterwards(ctx)
	r.result.tell(span)
	span.End(err)
	return r.result, err
}

// phase tells of a phase, does it, and tells how it ended.
func (r *runner) phase(ctx context.Context, p Phase, data Data, do func() (Data, error)) error {
	if err := r.book.write(entry{Kind: kPhase, Phase: p}); err != nil {
		return err
	}
	r.tell(p, Started, data)
	after, err := do()
	if err != nil {
		r.tell(p, Went, Data{"reason": err.Error()})
		return err
	}
	r.tell(p, Completed, after)
	return ctx.Err()
}

func (r *runner) tell(p Phase, e Event, d Data) {
	if r.cb.OnPhase != nil {
		r.cb.OnPhase(p, e, d)
	}
}

func (r *runner) warn(format string, args ...any) error {
	text, _ := scrub.Text(fmt.Sprintf(format, args...)) // of a program of the project, perhaps
	if slices.Contains(r.book.state.Warnings, text) {
		return nil
	}
	return r.book.write(entry{Kind: kWarning, Text: text})
}

// afterwards is all from the branch on. What stops it early leaves a result.
func (r *runner) afterwards(ctx context.Context) error {
	err := r.work(ctx)
	var early *stop
	if errors.As(err, &early) {
		r.result.Stopped, err = early.why, nil
	}
	switch {
	case err != nil:
	case r.o.DryRun:
		err = r.judgeOnce(ctx)
	default:
		if err = r.close(ctx); errors.As(err, &early) {
			r.result.Stopped, err = cmp.Or(r.result.Stopped, early.why), nil
		}
	}
	r.fill()
	if err != nil {
		return err
	}
	end := "done"
	if r.result.Stopped != "" {
		end = "stopped"
	}
	r.tell(Done, Completed, Data{"files": r.result.Processed, "succeeded": r.result.Succeeded, "failed": r.result.Failed, "stopped": r.result.Stopped})
	return r.book.write(entry{Kind: kEnd, Text: end})
}

func (r *runner) work(ctx context.Context) error {
	if len(r.survey.Files) == 0 && len(r.book.state.Files) == 0 {
		return nil // nothing wants a span: no branch, no tests
	}
	if !r.o.DryRun {
		if err := r.phase(ctx, Branching, nil, func() (Data, error) { return nil, r.branch(ctx) }); err != nil {
			return err
		}
	}
	if !r.o.DryRun && len(r.survey.Files) > 0 {
		if err := r.supplyAPI(ctx); err != nil {
			return err
		}
	}
	return r.phase(ctx, Files, Data{"files": len(r.survey.Files)}, func() (Data, error) { return r.files(ctx) })
}

// branch makes the run's branch, or goes to it.
func (r *runner) branch(ctx context.Context) error {
	s := r.book.state
	if s.Branch == "" {
		if err := r.baseline(ctx); err != nil {
			return err
		}
		name := r.o.Branch
		if name == "" {
			name = "aburn/instrument-" + r.o.Run
		}
		if code, _, err := r.repo.git.Code(ctx, "check-ref-format", "--branch", name); err != nil || code != 0 {
			return abort(Branching, "--branch NAME", "%q is no name of a branch", name)
		}
		// A run that was killed here has made the branch, and did not say so yet.
		if at, err := r.repo.git.Out(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+name); err == nil && (at != s.Commit || r.o.Branch != "") {
			return abort(Branching, "begin anew, with another --branch NAME", "the branch %s is there already", name)
		} else if err != nil {
			if _, err := r.repo.git.Whole().Out(ctx, "branch", name, s.Commit); err != nil {
				return abort(Branching, "", "the branch %s cannot be made: %v", name, err)
			}
		}
		r.book.at("made " + name)
		if err := r.book.write(entry{Kind: kBranch, Branch: name}); err != nil {
			return err
		}
	}
	return r.toBranch(ctx)
}

// supplyAPI installs the API before the first file needs it. Without it the tests
// cannot load what a span stands in, and would speak against each file.
func (r *runner) supplyAPI(ctx context.Context) error {
	var files []string
	for _, f := range r.survey.Files {
		files = append(files, f.Path)
	}
	if err := r.supply(ctx, files, nil); err != nil {
		return err
	}
	lacking, _, _ := jsproject.Lacks(r.o.Dir, jsproject.Needs{Files: files, Strategy: r.o.Config.DependencyStrategy})
	if r.noAPI = len(lacking) > 0; r.noAPI && r.book.state.Baseline != nil {
		return r.warn("package.json lacks the OpenTelemetry API, so the tests cannot load the spans: they judge nothing")
	}
	return nil
}

// toBase goes to where the run began: a branch, or a commit that none was on.
func (r *runner) toBase(ctx context.Context) error {
	s, args := r.book.state, []string{"switch", "--quiet"}
	if s.Base == s.Commit {
		args = append(args, "--detach")
	}
	_, err := r.repo.git.Whole().Out(ctx, append(args, s.Base)...)
	return err
}

func (r *runner) toBranch(ctx context.Context) error {
	name := r.book.state.Branch
	if on, err := r.repo.on(ctx); err != nil || on == name {
		return err
	}
	if _, err := r.repo.git.Whole().Out(ctx, "switch", "--quiet", name); err != nil {
		return abort(Branching, "git status shows what is in the way", "git does not go to the branch %s: %v", name, err)
	}
	return nil
}

func (r *runner) agent() string {
	return strings.TrimSpace(r.o.Provider.Name() + " " + r.o.Config.AgentModel)
}

// fill sums the result up, from the journal's state. It may be called again.
func (r *runner) fill() {
	s, out := r.book.state, r.result
	out.Files, out.Branch, out.PullRequest, out.Baseline, out.Warnings = s.Files, s.Branch, s.PR, s.Baseline, append([]string{}, s.Warnings...)
	out.Idle, out.Checkpoints = append([]instrument.Skipped{}, s.Idle...), append([]Checkpoint{}, s.Checkpoints...)
	if out.Files == nil {
		out.Files = []*File{}
	}
	out.Usage, out.CostUSD, out.Calls = s.Usage()
	for _, f := range out.Files {
		out.Written = out.Written || f.Commit != ""
		for _, l := range f.Libraries {
			if !slices.Contains(out.Libraries, l) {
				out.Libraries = append(out.Libraries, l)
			}
		}
	}
	out.supplied(s.Supplies)
	out.count()
	out.Plan = &instrument.Plan{Files: r.planned}
	if r.now == nil || r.start == nil {
		return
	}
	out.HashEnd = r.now.Resolved.Hash
	out.SchemaDiff = append([]registry.Change{}, registry.Diff(r.start, r.now.Resolved)...)
	out.RegistryFiles = []string{}
	for _, c := range out.SchemaDiff {
		if name := path.Join(r.repo.registry, c.File); !slices.Contains(out.RegistryFiles, name) {
			out.RegistryFiles = append(out.RegistryFiles, name)
		}
	}
}
