package dashboard

import (
	"context"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/costs"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/workspace"
	"aburn/web/site"
)

// OptionsFor are those of all projects.
func OptionsFor(env func(string) string) (site.Options, error) {
	o := site.Options{Dir: archive.Dir(env), Env: env, Zone: time.Local, Clock: time.Now, Act: true, Hidden: func(root string) bool {
		set := settings.Load(nil, env) // the file may have changed
		return set.Hides(root)
	}}
	if o.Dir == "" {
		return o, lookup.NoHome()
	}
	return o, nil
}

// OptionsOf are those of a command line with --timezone and --project.
func OptionsOf(ctx context.Context, c *workspace.Caller, cmd *cli.Command) (site.Options, error) {
	o, err := OptionsFor(c.Env)
	if err != nil {
		return o, err
	}
	if o.Zone, err = costs.ZoneNamed(cmd.String("timezone"), time.Local); err != nil {
		return o, err
	}
	if name := cmd.String("project"); name != "" {
		o.Project, err = projectOf(ctx, c, name)
	}
	return o, err
}

// projectOf is the root of the project that a folder, or the name of one, is in: as sessions have it.
func projectOf(ctx context.Context, c *workspace.Caller, name string) (string, error) {
	folder, err := lookup.ProjectNamed(ctx, c, name)
	if err != nil {
		return "", err
	}
	return rootAround(folder, c.Env), nil
}

// rootAround is the root of the trusted project around a folder, else of its repository, else the folder.
func rootAround(folder string, env func(string) string) string {
	if p, err := project.Find(folder, env); err == nil && p.Marked {
		return project.Original(p.Root, env)
	}
	if _, main := project.Checkout(folder, env); main != "" {
		return project.Original(main, env)
	}
	return folder
}
