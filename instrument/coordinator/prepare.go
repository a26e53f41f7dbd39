package coordinator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"aburn/instrument"
	"aburn/instrument/provider"
	"aburn/instrument/registry"
	"aburn/internal/git"
)

// untilAccepted is all that comes before the first question.
func (r *runner) untilAccepted(ctx context.Context) error {
	if err := r.phase(ctx, Prepare, nil, func() (Data, error) { return nil, r.prepare(ctx) }); err != nil {
		return err
	}
	if err := r.phase(ctx, Scanning, nil, func() (Data, error) { return r.scan(ctx) }); err != nil {
		return err
	}
	return r.phase(ctx, Accepting, nil, func() (Data, error) { return r.accept() })
}

// prepare looks at all that a run needs, and starts nothing of the project but its
// tests, which a person permitted.
func (r *runner) prepare(ctx context.Context) error {
	s := r.book.state
	if !r.o.Trusted {
		return abort(Prepare, "aburn init", "this project is not trusted")
	}
	branch, commit, err := r.repo.head(ctx)
	switch {
	case errors.Is(err, git.ErrNone):
		return abort(Prepare, "install git", "%v", err)
	case err != nil:
		return abort(Prepare, "git init, and commit: git shows what aburn changes", "the folder is in no git repository with a commit")
	}
	if !r.o.DryRun && r.repo.identity(ctx) != nil {
		return abort(Prepare, "git config user.name and user.email", "git does not know who commits")
	}
	if err := r.o.Provider.Ready(ctx); err != nil {
		return abort(Prepare, "provider in "+instrument.ConfigFile+" names another one", "the provider %s cannot be asked: %v", r.o.Provider.Name(), err)
	}
	if n, ok := r.o.Provider.(provider.ModelNeeder); ok && n.NeedsModel() && r.o.Config.AgentModel == "" {
		return abort(Prepare, "agentModel in "+instrument.ConfigFile+", or --model", "the provider %s needs the name of a model", r.o.Provider.Name())
	}
	if err := r.weaver(ctx); err != nil {
		return err
	}
	if s.Began {
		r.result.Base = s.Base
		if hash := configHash(r.o.Config); s.Config != hash {
			return abort(Prepare, "aburn instrument abort "+r.o.Run+", and begin anew", "%s has changed since the run began", instrument.ConfigFile)
		}
		return r.recover(ctx, branch)
	}
	r.result.Base = branch
	if err := r.clean(ctx); err != nil {
		return err
	}
	if r.rewrites() && r.o.Config.Concurrency > 1 {
		if err := r.warn("concurrency counts in mode plan: about whole files one question is asked after the other"); err != nil {
			return err
		}
	}
	s.Base, s.Commit = branch, commit
	return nil
}

func (r *runner) clean(ctx context.Context) error {
	if r.o.DryRun {
		return nil
	}
	dirty, err := r.repo.dirty(ctx, append(slices.Clone(r.o.Selection.Files), r.repo.own()...))
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return abort(Prepare, "commit first, so that git can show what aburn changed", "%s: not committed as it is", strings.Join(dirty[:min(len(dirty), 5)], ", "))
	}
	return nil
}

func configHash(c instrument.Config) string {
	c.DryRun, c.ConfirmEstimate = false, false
	c.Provider, c.AgentModel, c.AgentEffort, c.Concurrency = "", "", "", 0 // a run may go on with another one
	text, err := json.Marshal(c)
	if err != nil {
		return "" // a configuration holds only what JSON has
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// scan makes the survey. A run that goes on looks at the files that are left.
func (r *runner) scan(ctx context.Context) (Data, error) {
	s := r.book.state
	selection := r.o.Selection
	if s.Began {
		selection = &instrument.Selection{Files: s.Remaining()}
	}
	var err error
	r.survey, err = Look(ctx, r.o.Engine, r.o.Dir, selection, r.o.Config)
	var bad *instrument.RegistryError
	var many *TooManyError
	switch {
	case errors.As(err, &bad):
		return nil, abort(Scanning, "aburn instrument registry check "+r.o.Config.SchemaPath, "%v", bad)
	case errors.As(err, &many):
		return nil, abort(Scanning, "name fewer paths, or raise maxFilesPerRun in "+instrument.ConfigFile, "%v", many)
	case err != nil:
		return nil, err
	}
	r.now = r.survey.Registry
	if r.now != nil {
		r.start = r.now.Resolved
		r.result.HashStart = r.start.Hash
	}
	if s.Began {
		for _, f := range s.Files {
			r.created += f.AttributesCreated
		}
		r.inOrder(s.Order)
		if began := r.registryAt(ctx, s.Commit); began != nil && began.Hash == s.Hash {
			r.start, r.result.HashStart = began, began.Hash
		}
		return Data{"files": len(r.survey.Files)}, nil
	}
	begin := Beginning{Run: r.o.Run, Version: r.o.Version, Config: configHash(r.o.Config), Provider: r.o.Provider.Name(), Model: r.o.Config.AgentModel,
		Mode: r.o.Config.Mode, Dry: r.o.DryRun, NoTests: r.o.NoTests, NoInstall: r.o.NoInstall, NoPR: r.o.NoPR, Named: r.o.Branch, Base: s.Base, Commit: s.Commit,
		Idle: r.survey.Idle, Hash: r.result.HashStart, Order: []string{}}
	for _, f := range r.survey.Files {
		begin.Order = append(begin.Order, f.Path)
	}
	err = r.book.write(entry{Kind: kBegin, Begin: &begin})
	return Data{"files": len(begin.Order), "idle": len(begin.Idle), "schema": begin.Hash}, err
}

// registryAt is the registry as a commit has it; nil where it cannot be had, because it
// stands on something beside its folder for example.
func (r *runner) registryAt(ctx context.Context, commit string) (began *registry.Resolved) {
	r.withRegistryAt(ctx, commit, func(dir string) {
		if c, err := instrument.ReadContract(dir, r.o.Config); err == nil && c != nil {
			began = c.Resolved
		}
	})
	return began
}

// withRegistryAt has the registry's folder, as a commit has it, below dir for a while. ok is false where it cannot be had.
func (r *runner) withRegistryAt(ctx context.Context, commit string, do func(dir string)) (ok bool) {
	if r.repo.registry == "" {
		return false
	}
	names, err := r.repo.git.List(ctx, "ls-tree", "-r", "--name-only", "-z", commit, "--", r.repo.registry+"/")
	if err != nil {
		return false
	}
	dir, err := os.MkdirTemp("", "aburn-registry-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	texts := map[string]string{}
	for _, name := range names {
		text, err := r.repo.at(ctx, commit, name)
		if err != nil || text == nil {
			return false
		}
		texts[name] = string(text)
	}
	if instrument.WriteNew(dir, texts) != nil {
		return false
	}
	do(dir)
	return true
}

func (r *runner) inOrder(order []string) {
	byPath := map[string]int{}
	for i, p := range order {
		byPath[p] = i
	}
	slices.SortStableFunc(r.survey.Files, func(a, b *scanFile) int { return byPath[a.Path] - byPath[b.Path] })
}

// accept shows the ceiling. Who accepted it once is not asked again.
func (r *runner) accept() (Data, error) {
	s := r.book.state
	if s.Accepted == nil {
		ceiling := r.survey.Ceiling(r.o.Dir, r.o.Config, r.o.most())
		if len(r.survey.Files) > 0 && (r.cb.OnCeiling == nil || !r.cb.OnCeiling(ceiling)) {
			if err := r.book.write(entry{Kind: kEnd, Text: "declined"}); err != nil {
				return nil, err
			}
			return nil, &Declined{ceiling}
		}
		if err := r.book.write(entry{Kind: kCeiling, Ceiling: &ceiling}); err != nil {
			return nil, err
		}
	}
	r.result.Ceiling = *s.Accepted
	return Data{"files": s.Accepted.Files, "calls": s.Accepted.Calls, "tokens": s.Accepted.MaxTokens}, nil
}
