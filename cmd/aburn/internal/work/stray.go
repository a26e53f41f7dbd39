package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/crew"
)

// LeftProcess is a process that carries a worker's mark and that no holder holds.
type LeftProcess struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

// Roll is Look, and whose the processes are that carry marks of workers: those that no ledger knows are strays. Members that have
// strays in their place are left out.
func Roll(ctx context.Context, o *Office, names ...string) ([]*crew.Member, []*crew.Stray, error) {
	found := make(chan []crew.Carrier, 1)
	go func() { found <- crew.Marked() }()
	all, err := o.Look(ctx, names...)
	if err != nil {
		return nil, nil, err
	}
	members, strays := Accounted(o.Crew, all, <-found)
	return members, strays, nil
}

// Accounted is Roll of members that were looked at, and of marked processes that were found.
func Accounted(c *crew.Crew, all []*crew.Member, marked []crew.Carrier) ([]*crew.Member, []*crew.Stray) {
	strays := c.Account(all, marked)
	return slices.DeleteFunc(all, func(m *crew.Member) bool {
		return m.Err != nil && slices.ContainsFunc(strays, func(s *crew.Stray) bool { return s.Name == m.Name })
	}), strays
}

// strayCalled is the stray that a word means; nil for none. A worker with a ledger comes before it.
func strayCalled(strays []*crew.Stray, word string) *crew.Stray {
	var found []*crew.Stray
	for _, s := range strays {
		if s.Name == word {
			return s
		}
		if word != "" && strings.HasPrefix(s.Name, word) {
			found = append(found, s)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// SummarizeStray is a stray among the workers.
func SummarizeStray(s *crew.Stray) Summary {
	return Summary{
		Worker: s.Name, State: unaccounted, Status: unaccounted, Zone: string(worker.ZoneNeedsYou), Tree: s.Tree, PID: s.Processes[0].PID,
		Left: leftProcesses(s.Processes),
	}
}

const unaccounted = "unaccounted"

func leftProcesses(list []crew.Carrier) (out []LeftProcess) {
	for _, p := range list {
		out = append(out, LeftProcess{p.PID, plain.Line(p.Name)})
	}
	return out
}

// StrayText is a stray in the words of a person.
func StrayText(s *crew.Stray) string {
	text := fmt.Sprintf("%s: process %d runs", unaccounted, s.Processes[0].PID)
	if n := len(s.Processes); n > 1 {
		text = fmt.Sprintf("%s: process %d and %d more run", unaccounted, s.Processes[0].PID, n-1)
	}
	return text + ", and " + s.Why
}

// LeftRunning says that processes of a worker run that no holder holds; "" for none.
func LeftRunning(m *crew.Member) string {
	if len(m.Left) == 0 {
		return ""
	}
	return plain.Plural(int64(len(m.Left)), "process", "processes") + " left running"
}

// LeftWords names the processes that a worker left running, and what ends them; "" for none.
func LeftWords(m *crew.Member) string {
	if len(m.Left) == 0 {
		return ""
	}
	return crew.LeftWords(m.Left) + ": no holder has them (aburn kill " + m.Name + ")"
}

// Unaccounted are findings for `aburn doctor` about a project: strays of its workers, and what its workers left running. Outside of a
// project there are none.
func Unaccounted(ctx context.Context, env func(string) string, dir string) (findings []string) {
	o, err := officeAt(env, CallerOf(env, dir), dir)
	if err != nil {
		return nil
	}
	defer o.Close()
	for _, s := range stranded(o) {
		findings = append(findings, strandedText(s)+": aburn project repair")
	}
	all, err := o.Peek(ctx)
	if err != nil {
		return nil
	}
	members, strays := Accounted(o.Crew, all, crew.Marked())
	for _, s := range strays {
		findings = append(findings, s.Name+" is "+StrayText(s)+"; it works in "+s.Tree)
	}
	for _, m := range members {
		if len(m.Left) > 0 {
			findings = append(findings, m.Name+" left running: "+crew.LeftWords(m.Left))
		}
	}
	return findings
}
