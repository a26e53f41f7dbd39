package hold

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/proc"
)

// Marked are the processes of this user that carry the mark of any worker. The value of each is its mark.
func Marked() []proc.Carrier { return proc.Carriers(MarkVariable) }

// Rest is how to know the processes that the holders of a worker left when they were killed.
//
// A mark holds a random id, so what carries it is the worker's, whatever number it has and wherever it works. Some programs
// overwrite their environment, or start others without it: what such a process belongs to says the rest. A stranger is never found:
//
//   - An agent is known by its number and its start, on the same host and since the same boot.
//   - A session has only descendants of the process whose number it has. That of an agent or a holder counts only while a marked
//     process is in it, as the number alone may be used again.
//   - A process with another worker's mark, a holder that is spared, and what these started, are left out.
type Rest struct {
	Dir   string  // the worker's folder, which names holders that are spared; "" if it is gone
	Began []Began // whom its holders held
	Marks []string
}

// sparedName is the file of holders of other workers, a line of pid and start each.
const sparedName = "spared"

func sparedIn(dir string) (list []proc.Process) {
	data, _ := os.ReadFile(filepath.Join(dir, sparedName))
	for line := range strings.Lines(string(data)) {
		if p := parseProcess(strings.TrimSpace(line)); p.PID > 0 {
			list = append(list, p)
		}
	}
	return list
}

// Find looks for the processes once.
func (r Rest) Find() (found []proc.Process) {
	others, own := map[proc.Process]bool{}, map[proc.Process]bool{}
	for _, p := range sparedIn(r.Dir) {
		others[p] = true
	}
	for _, c := range Marked() {
		if c.Value != "" && slices.Contains(r.Marks, c.Value) {
			own[c.Process] = true
		} else {
			others[c.Process] = true
		}
	}
	held := map[int]bool{} // numbers of agents and holders
	boot, _ := proc.Clock()
	for _, b := range r.Began {
		if b.Host != proc.Host() || b.Boot != boot {
			continue
		}
		for _, pid := range []int{b.Agent.PID, b.Holder.PID} {
			held[pid] = pid > 1
		}
		if proc.Of(b.Agent, b.Host) == proc.Runs {
			own[b.Agent] = true
		}
	}
	if len(own) == 0 {
		return nil
	}
	for _, p := range related(proc.Relatives(), own, others, held) {
		if own[p] || proc.Mine(p.PID) {
			found = append(found, p)
		}
	}
	return found
}

// related are own and what they started: what is below them, and what is in their sessions.
func related(all []proc.Relative, own, others map[proc.Process]bool, held map[int]bool) (list []proc.Process) {
	below, in := map[int][]proc.Relative{}, map[int][]proc.Relative{}
	for _, p := range all {
		below[p.Parent] = append(below[p.Parent], p)
		in[p.Session] = append(in[p.Session], p)
	}
	taken := map[proc.Process]bool{}
	take := func(p proc.Relative) {
		if !taken[p.Process] && !others[p.Process] {
			taken[p.Process] = true
			list = append(list, p.Process)
		}
	}
	for _, p := range all {
		if !own[p.Process] {
			continue
		}
		take(p)
		if held[p.Session] {
			for _, peer := range in[p.Session] {
				take(peer)
			}
		}
	}
	for i := 0; i < len(list); i++ {
		for _, child := range below[list[i].PID] {
			take(child)
		}
		for _, peer := range in[list[i].PID] { // it is the session's leader
			take(peer)
		}
	}
	return list
}
