package overview

import (
	"context"
	"slices"

	"aburn/supervisor/status"
	"aburn/worker"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// Standings are the workers of a project whose tree is there or whose agent lives, by whose turn it is. It writes nothing.
func Standings(ctx context.Context, env func(string) string, root string) ([]status.Standing, error) {
	o, err := projects.Open(env, root)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	members, err := o.LoadState(ctx)
	if err != nil {
		return nil, err
	}
	var list []status.Standing
	for _, zone := range []worker.Zone{worker.ZoneNeedsYou, worker.ZoneWorking, worker.ZoneInReview, worker.ZoneReady, worker.ZoneDone} {
		one := status.Standing{Zone: string(zone)}
		for _, m := range manager.Living(members) {
			if m.Err == nil && m.Worker.Zone() == zone {
				one.Names = append(one.Names, m.Name)
			}
		}
		if slices.Sort(one.Names); len(one.Names) > 0 {
			list = append(list, one)
		}
	}
	return list, nil
}
