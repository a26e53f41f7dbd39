package sessions

import (
	"context"
	"maps"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/internal/fault"
)

// workersOf are the names of the workers whose sessions the archive has, by the folder in which each worked.
func workersOf(ctx context.Context, arch *archive.Archive) (map[string]string, error) {
	list, err := arch.Workers(ctx)
	for folder, id := range list {
		list[folder], _, _ = strings.Cut(id, "@")
	}
	return list, err
}

// ofWorker are the sessions of the workers with this name: several projects may have one.
func ofWorker(all []archive.Session, workers map[string]string, name string) ([]archive.Session, error) {
	if name == "" {
		return all, nil
	}
	known := slices.Sorted(maps.Values(workers))
	if !slices.Contains(known, name) {
		return nil, fault.Usage("--worker: the archive knows no worker "+fault.Quote(name), append(fault.DidYouMean(name, known), "aburn ps --all")...)
	}
	return slices.DeleteFunc(all, func(s archive.Session) bool { return workers[s.Project.Path] != name }), nil
}
