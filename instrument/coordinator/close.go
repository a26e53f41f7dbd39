package coordinator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/instrument"
	"aburn/instrument/jsproject"
	"aburn/instrument/record"
	"aburn/instrument/rules"
	"aburn/instrument/telemetry"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/internal/scrub"
)

// close is what follows the last file: the libraries, a last look, the recording, the
// pull request. A run that stopped early closes too: what it has is worth it.
func (r *runner) close(ctx context.Context) error {
	if !r.changed() {
		return r.leaveEmptyBranch(ctx)
	}
	if err := r.stays(ctx); err != nil {
		return err
	}
	if err := r.libraries(ctx); err != nil {
		return err
	}
	if err := r.checkpoint(ctx, true); err != nil {
		return err
	}
	if n := len(r.book.state.Checkpoints); n > 0 {
		r.result.Tests = r.book.state.Checkpoints[n-1].Tests
	}
	if err := r.weaverDiff(ctx); err != nil {
		return err
	}
	if err := r.judgeOnce(ctx); err != nil {
		return err
	}
	if err := r.record(ctx); err != nil {
		return err
	}
	if r.o.NoPR || r.book.state.PR != "" || !r.changed() {
		return nil
	}
	return r.phase(ctx, Requesting, nil, func() (Data, error) { return nil, r.pullRequest(ctx) })
}

// leaveEmptyBranch goes back from a branch that got no commit, and takes it away. A run
// that was stopped keeps it, to go on there.
func (r *runner) leaveEmptyBranch(ctx context.Context) error {
	s := r.book.state
	_, at, err := r.repo.head(ctx)
	if err != nil || s.Branch == "" || at != s.Commit || r.result.Stopped != "" {
		return err
	}
	if err := r.toBase(ctx); err != nil {
		return nil // somebody's change is in the way; the branch is as good as any
	}
	if _, err := r.repo.git.Out(ctx, "branch", "--quiet", "-d", s.Branch); err != nil {
		return nil
	}
	return r.book.write(entry{Kind: kBranch})
}

// changed says whether a file's spans are on the branch.
func (r *runner) changed() bool {
	for _, f := range r.book.state.Files {
		if f.Commit != "" && f.Reverted == "" {
			return true
		}
	}
	return false
}

// libraries has those installed that the plans ask for, and adds them to the set-up of
// telemetry.
func (r *runner) libraries(ctx context.Context) error {
	var wanted, files []string
	for _, f := range r.book.state.Files {
		for _, l := range f.Libraries {
			if !slices.Contains(wanted, l) {
				wanted = append(wanted, l)
			}
		}
		if f.Commit != "" && f.Reverted == "" {
			files = append(files, f.Path)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return r.phase(ctx, Libraries, Data{"packages": wanted}, func() (Data, error) {
		err := r.supply(ctx, files, wanted)
		r.result.supplied(r.book.state.Supplies)
		return Data{"installed": len(r.result.LibrariesInstalled), "failed": len(r.result.LibraryFailures)}, err
	})
}

// supply installs what files and libraries need, as far as somebody permitted it, in a
// commit of its own. What does not install is named; the run goes on.
func (r *runner) supply(ctx context.Context, files, libraries []string) error {
	work := &instrument.RunResult{Libraries: libraries}
	for _, f := range files {
		work.Files = append(work.Files, &instrument.FileResult{Path: f, Status: instrument.Success})
	}
	outfit, err := work.Outfit(ctx, r.o.Engine, r.o.Dir, r.o.Config)
	if err != nil {
		return err
	}
	for _, p := range outfit.Problems {
		if err := r.warn("%s", p); err != nil {
			return err
		}
	}
	open := r.book.state.supplying // of a run that was killed before it could commit them
	if len(outfit.OutfitFiles())+len(open) == 0 {
		return nil
	}
	changing, err := r.repo.withoutIgnored(ctx, supplied(outfit))
	if err != nil {
		return err
	}
	dirty, err := r.repo.dirty(ctx, slices.DeleteFunc(slices.Clone(changing), func(f string) bool { return slices.Contains(open, f) }))
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return r.warn("nothing is installed: %s: not committed as it is", strings.Join(dirty, ", "))
	}
	permit := r.o.Permit
	if permit == nil {
		permit = func(*jsproject.Installation) bool { return false }
	}
	if len(outfit.OutfitFiles()) > 0 {
		if err := r.book.write(entry{Kind: kSupplying, Files: changing}); err != nil {
			return err
		}
		open = append(open, changing...)
	}
	if err := outfit.Supply(ctx, work, r.o.Environ, permit); err != nil {
		return err
	}
	for i, f := range work.LibraryFailures {
		work.LibraryFailures[i], _ = scrub.Text(f)
	}
	r.book.at("supplied")
	for _, text := range append(work.Warnings, failures(work.LibraryFailures)...) {
		if err := r.warn("%s", text); err != nil {
			return err
		}
	}
	if err := r.stays(ctx); err != nil {
		return err
	}
	if work.SDKInit != nil && work.SDKInit.Fallback != "" {
		open = append(open, work.SDKInit.Fallback)
	}
	if err := r.commitSupplied(ctx, work, open); err != nil {
		return err
	}
	return r.book.write(entry{Kind: kSupply, Supply: &Supply{work.LibrariesInstalled, work.LibraryFailures, work.SDKInit}})
}

// commitSupplied commits what was installed, unless somebody changed one of the files otherwise meanwhile.
func (r *runner) commitSupplied(ctx context.Context, work *instrument.RunResult, files []string) error {
	slices.Sort(files)
	files, err := r.repo.withoutIgnored(ctx, slices.Compact(files))
	if err != nil {
		return err
	}
	for _, f := range files {
		now, err := os.ReadFile(filepath.Join(r.repo.dir, filepath.FromSlash(f)))
		if err != nil {
			continue // it was not made
		}
		theirs := work.SDKInit != nil && f == work.SDKInit.File && !bytes.Equal(now, work.SDKInit.After)
		if path.Base(f) == "package.json" {
			before, err := r.repo.at(ctx, "HEAD", f)
			if err != nil {
				return err
			}
			theirs = !jsproject.OnlyInstalls(before, now)
		}
		if theirs {
			return r.warn("%s: somebody changed it while packages were installed: what the spans need is not committed", f)
		}
	}
	_, err = r.repo.commit(ctx, "instrument: what the spans need\n\n"+list(work.LibrariesInstalled)+"\nInstrument-Run: "+r.o.Run+"\n", files)
	return err
}

// supplied are the files that supplying changes: manifests, lock files and the set-up.
func supplied(o *instrument.Outfit) []string {
	files := o.OutfitFiles()
	for _, in := range o.Install {
		files = append(files, in.LockFiles()...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func failures(names []string) (texts []string) {
	for _, n := range names {
		texts = append(texts, "not installed: "+n)
	}
	return texts
}

func list(names []string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "- %s\n", plain.OneLine(n, 200))
	}
	return b.String()
}

// judgeOnce judges what is judged once for all files of the run, as they stand by now.
func (r *runner) judgeOnce(ctx context.Context) error {
	after, changed := map[string][]byte{}, map[string]bool{}
	for _, f := range r.book.state.Files {
		changed[f.Path] = f.Status == instrument.Success
		if r.o.DryRun && changed[f.Path] {
			after[f.Path] = f.After
		}
	}
	var files []instrument.Instrumented
	for _, name := range r.book.state.all() {
		text, there := after[name]
		if !there {
			var err error
			if text, err = instrument.ReadSource(r.o.Dir, name); err != nil {
				continue // told where the file was
			}
		}
		m, err := instrument.ParseAs(ctx, r.o.Engine, r.o.Dir, name, text)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			files = append(files, instrument.Instrumented{Path: name, Module: m, Untouched: !changed[name]})
		}
	}
	r.result.Findings = append([]rules.Finding{}, instrument.JudgeOnce(r.o.Dir, r.o.Config, r.now, files)...)
	return nil
}

// record runs the tests with the recorder, and judges the spans that they make.
func (r *runner) record(ctx context.Context) error {
	if len(r.o.Tests) == 0 || r.book.state.Baseline == nil {
		return nil
	}
	return r.phase(ctx, Recording, nil, func() (Data, error) {
		ctx, span := r.o.Trace.Start(ctx, telemetry.Record)
		recording, err := record.Run(ctx, record.Options{Argv: r.o.Tests, Dir: r.o.Dir, Mode: record.Recorder, Environ: r.o.Environ, Timeout: testTime})
		if err != nil {
			span.End(err)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, r.warn("the spans of the tests were not recorded: %v", err)
		}
		record.FindPlaces(recording, r.o.Dir)
		var contract *record.Contract
		if r.now != nil {
			contract = &record.Contract{Resolved: r.now.Resolved, Whole: len(r.now.Unsure) == 0}
		}
		r.result.Record = record.NewReport(recording, contract, record.Judge(recording, contract))
		span.Number("aburn.instrument.spans", r.result.Record.Spans)
		span.Number("aburn.instrument.findings", len(r.result.Record.Findings))
		span.End(nil)
		return Data{"spans": r.result.Record.Spans, "findings": len(r.result.Record.Findings)}, nil
	})
}

// ghNames are the variables that gh needs to be logged in.
var ghNames = []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_CONFIG_DIR", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "SSH_AUTH_SOCK"}

// BodyFile holds the text of the pull request, in the run's folder.
const BodyFile = "pr.md"

// pullRequest pushes the branch and opens a request by gh. Where that cannot be, the
// text is in a file, and the command that a person can say is in the result.
func (r *runner) pullRequest(ctx context.Context) error {
	if r.o.Text == nil || r.o.Folder == nil {
		return nil
	}
	r.fill()
	title, body := r.o.Text(r.result)
	if err := r.o.Folder.WriteFile(BodyFile, []byte(body), 0o600); err != nil {
		return err
	}
	file := filepath.Join(r.o.Folder.Name(), BodyFile)
	branch, base := r.book.state.Branch, r.book.state.Base
	r.result.Command = fmt.Sprintf("git push -u origin %s && gh pr create --head %s --title %q --body-file %s", branch, branch, title, file)
	remote, err := r.repo.git.Out(ctx, "remote")
	if err != nil || !strings.Contains("\n"+remote+"\n", "\norigin\n") {
		return r.warn("there is no remote origin: no pull request was opened")
	}
	if _, err := exec.LookPath("gh"); err != nil {
		return r.warn("gh is not on PATH: no pull request was opened")
	}
	if _, err := r.repo.git.Out(ctx, "push", "--quiet", "-u", "origin", branch); err != nil {
		return r.warn("the branch could not be pushed, so no pull request was opened: %v", err)
	}
	address, err := r.gh(ctx, "pr", "view", branch, "--json", "url", "--jq", ".url")
	if err != nil || address == "" { // there is none yet
		args := []string{"pr", "create", "--head", branch, "--title", title, "--body-file", file}
		if base != r.book.state.Commit {
			args = append(args, "--base", base)
		}
		if address, err = r.gh(ctx, args...); err != nil {
			return r.warn("gh opened no pull request: %v", err)
		}
	}
	r.result.Command = ""
	return r.book.write(entry{Kind: kPR, Text: plain.OneLine(address, 300)})
}

func (r *runner) gh(ctx context.Context, args ...string) (string, error) {
	said, err := run.Do(ctx, run.Program{Argv: append([]string{"gh"}, args...), Dir: r.o.Dir,
		Env: append(run.Clean(r.o.Environ, ghNames...), "GH_PROMPT_DISABLED=1", "NO_COLOR=1"), Timeout: 5 * time.Minute})
	if err != nil {
		return "", err
	}
	if said.Code != 0 {
		return "", fmt.Errorf("exit code %d: %s", said.Code, plain.OneLine(string(said.Stderr), 200))
	}
	lines := strings.Split(strings.TrimSpace(string(said.Stdout)), "\n")
	return lines[len(lines)-1], nil
}
