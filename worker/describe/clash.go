package describe

import (
	"strings"

	"aburn/worker"
	"aburn/worker/manager"
)

// ClashReport is another worker that changed the same files, in `aburn ps --json`.
type ClashReport struct {
	Worker string   `json:"worker"`
	Kind   string   `json:"kind"`
	Files  []string `json:"files"`
	Count  int      `json:"count"`
}

// Living are the names of workers whose tree may be there and whose work is not merged: those that may conflict.
func Living(members []*manager.Member) map[string]bool {
	names := map[string]bool{}
	for _, m := range manager.Living(members) {
		if m.Err != nil || !m.Worker.Merged {
			names[m.Name] = true
		}
	}
	return names
}

// ClashesOf are a member's overlaps as they were last seen.
func ClashesOf(m *manager.Member, names map[string]bool) (list []ClashReport) {
	if m.Err != nil || m.Gone() || m.Worker.Merged {
		return nil
	}
	for _, e := range manager.Clashes(m, names) {
		list = append(list, ClashReport{e.Peer, e.Is, e.Files, e.Count})
	}
	return list
}

// ClashText is what stands behind a worker's state.
func ClashText(list []ClashReport) string {
	var texts []string
	for _, kind := range []string{worker.OverlapConflict, worker.OverlapFiles} {
		var with []string
		for _, c := range list {
			if c.Kind == kind {
				with = append(with, c.Worker)
			}
		}
		if len(with) > 0 {
			texts = append(texts, kind+" with "+strings.Join(with, ", "))
		}
	}
	return strings.Join(texts, "; ")
}
