package spawn

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// reviveAndSay revives a worker and tells of it, or why it failed.
func reviveAndSay(ctx context.Context, o *projects.Project, a *kit.App, m *manager.Member, how launch.Again, acts *target.Acts) {
	one := target.Acted{Worker: m.Name, Project: o.Root}
	now, err := launch.Resume(ctx, o, a, m, how)
	if err != nil {
		f := fault.Of(err)
		acts.Failed(one, strings.TrimPrefix(f.Msg, m.Name+": "), f.Hints...)
		return
	}
	one.Did = target.DidResume
	acts.Did(one, now.Name+"  resumed · "+now.Request.Agent+" · "+now.Request.Via)
	launch.WarnMissing(a, m)
}

// reviveHere is reviveFar's other side.
func reviveHere(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	var again manager.RemoteRestart
	if err := json.NewDecoder(a.Stdin).Decode(&again); err != nil {
		return fault.Usage("stdin does not say how: " + err.Error())
	}
	if err := again.Check(); err != nil {
		return fault.Failed(err.Error(), "install the same version on both")
	}
	if err := takeValues(again.Env); err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	m, err := o.Member(ctx, cmd.String("resume"))
	if err != nil {
		return err
	}
	_, err = launch.Resume(ctx, o, a, m, launch.Again{Env: slices.Collect(maps.Keys(again.Env))})
	return err
}

// takeValues sets variables before anybody looks at the environment.
func takeValues(env map[string]string) error {
	for name, value := range env {
		if err := os.Setenv(name, value); err != nil {
			return fault.Usage("the variable " + fault.Quote(name) + ": " + err.Error())
		}
	}
	return nil
}
