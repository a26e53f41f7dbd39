package coordinator

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"aburn/instrument"
	"aburn/instrument/registry"
)

// weaver has the Weaver that the configuration asks for judge the registry.
func (r *runner) weaver(ctx context.Context) error {
	c := r.o.Config
	w, why, err := registry.Wanted(ctx, c.Weaver, c.WeaverMinVersion, r.o.Dir)
	if err != nil {
		return abort(Prepare, "set weaver: auto in "+instrument.ConfigFile, "%v", err)
	}
	if why != "" {
		if err := r.warn("%s; aburn judges the registry alone", why); err != nil {
			return err
		}
	}
	if w == nil || c.SchemaPath == "" {
		return nil
	}
	report, err := registry.Judge(ctx, r.registryFolder(), registry.Options{Root: r.o.Dir}, w)
	switch {
	case err != nil && c.Weaver == "required":
		return abort(Prepare, "aburn instrument registry check "+c.SchemaPath+" --weaver", "%v", err)
	case err != nil:
		return r.warn("%v; aburn judges the registry alone", err)
	case registry.VerdictOf(report.Findings) == registry.Invalid:
		return abort(Prepare, "aburn instrument registry check "+c.SchemaPath+" --weaver", "the registry has an error, says %s or aburn", w.Name())
	}
	r.second, r.result.Weaver = w, w.Name()
	return nil
}

func (r *runner) registryFolder() string {
	return filepath.Join(r.o.Dir, filepath.FromSlash(r.o.Config.SchemaPath))
}

// weaverChecks has Weaver judge the registry as it is by now. One that fails is a warning.
func (r *runner) weaverChecks(ctx context.Context, c *Checkpoint) error {
	if r.second == nil || c.Registry != "" {
		return nil
	}
	report, err := registry.Judge(ctx, r.registryFolder(), registry.Options{Root: r.o.Dir}, r.second)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return r.warn("%v; aburn judges the registry alone", err)
	case registry.VerdictOf(report.Findings) == registry.Invalid:
		c.Registry = "the registry has an error by now, says " + r.second.Name()
	}
	return nil
}

// weaverDiff is what Weaver says that the registry got, one change a line. It sees less than aburn's own comparison.
func (r *runner) weaverDiff(ctx context.Context) error {
	if r.second == nil {
		return nil
	}
	var changes []registry.Change
	err := fmt.Errorf("the registry of the beginning cannot be had")
	r.withRegistryAt(ctx, r.book.state.Commit, func(dir string) {
		changes, err = r.second.Diff(ctx, filepath.Join(dir, filepath.FromSlash(r.o.Config.SchemaPath)), r.registryFolder())
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return r.warn("Weaver did not compare the registry: %v", err)
	}
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s %s\n", c.Kind, c.Item, strings.TrimSpace(c.Name+" "+c.New))
	}
	r.result.WeaverDiff = b.String()
	return nil
}
