package describe

import (
	"fmt"

	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/manager"
)

// LeftProcess is a process that carries a worker's mark and that no holder holds.
type LeftProcess struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

// SummarizeStray is a stray among the workers.
func SummarizeStray(s *manager.Stray) Summary {
	return Summary{
		Worker: s.Name, State: Unaccounted, Status: Unaccounted, Zone: string(worker.ZoneNeedsYou), Tree: s.Tree, PID: s.Processes[0].PID,
		Left: leftProcesses(s.Processes),
	}
}

const Unaccounted = "unaccounted"

func leftProcesses(list []manager.Carrier) (out []LeftProcess) {
	for _, p := range list {
		out = append(out, LeftProcess{p.PID, plain.Line(p.Name)})
	}
	return out
}

// StrayText is a stray in the words of a person.
func StrayText(s *manager.Stray) string {
	text := fmt.Sprintf("%s: process %d runs", Unaccounted, s.Processes[0].PID)
	if n := len(s.Processes); n > 1 {
		text = fmt.Sprintf("%s: process %d and %d more run", Unaccounted, s.Processes[0].PID, n-1)
	}
	return text + ", and " + s.Why
}

// LeftRunning says that processes of a worker run that no holder holds; "" for none.
func LeftRunning(m *manager.Member) string {
	if len(m.Left) == 0 {
		return ""
	}
	return plain.Plural(int64(len(m.Left)), "process", "processes") + " left running"
}

// LeftWords names the processes that a worker left running, and what ends them; "" for none.
func LeftWords(m *manager.Member) string {
	if len(m.Left) == 0 {
		return ""
	}
	return manager.LeftWords(m.Left) + ": no holder has them (aburn kill " + m.Name + ")"
}
