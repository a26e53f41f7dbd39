package dashboard

import (
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/costs"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/workspace"
	"aburn/web/site"
)

// OptionsFor are those of all projects.
func OptionsFor(env func(string) string) (site.Options, error) {
	o := site.Options{Dir: archive.Dir(env), Env: env, Zone: time.Local, Clock: time.Now, Act: true}
	if o.Dir == "" {
		return o, lookup.NoHome()
	}
	return o, nil
}

// OptionsOf are those of a command line with --timezone and --project.
func OptionsOf(c *workspace.Caller, cmd *cli.Command) (site.Options, error) {
	o, err := OptionsFor(c.Env)
	if err != nil {
		return o, err
	}
	if o.Zone, err = costs.ZoneNamed(cmd.String("timezone"), time.Local); err != nil {
		return o, err
	}
	o.Project, err = projectOf(c, cmd.Name, cmd.String("project"))
	return o, err
}

// projectOf is the root of the vouched project around a folder, "" for all.
func projectOf(c *workspace.Caller, command, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	folder, err := c.Folder()
	if err != nil {
		return "", err
	}
	p, err := project.Find(workspace.InFolder(folder, dir), c.Env)
	switch {
	case err != nil:
		return "", fault.Usage("--project: "+err.Error(), "aburn "+command+" --project ~/src/shop")
	case !p.Marked:
		return "", workspace.NotTrusted(p)
	}
	return p.Root, nil
}
