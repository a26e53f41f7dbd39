package worker

import "slices"

// massRounds is how many rounds a mass death holds back, the one that found it included.
const massRounds = 2

// massLeast is how many workers of one server must look dead at once.
const massLeast = 3

// Seen is what one round saw of one worker that is not terminated.
type Seen struct {
	Worker    string
	Server    string // the runtime server
	Dead      bool   // its process, its runtime or both look dead
	Certified bool   // and its holder wrote how it ended
}

// MassDeath is one event for all workers of one server.
type MassDeath struct {
	Server  string
	Workers []string // that looked dead in any of the rounds, sorted
}

// Mass watches rounds for many workers that look dead at once: then the server died, or whoever asks is blind.
type Mass struct {
	open map[string]*mass
}

type mass struct {
	left int
	dead []string
}

// Round takes what one round saw. On held servers nothing is terminated, reacted to or told: their probes are recorded
// with Fact.Mass. A death is told once, in the round after the last held one, if it still looks like one.
func (m *Mass) Round(seen []Seen) (held map[string]bool, told []MassDeath) {
	all, dead := map[string]int{}, map[string][]string{}
	for _, s := range seen {
		all[s.Server]++
		if s.Dead && !s.Certified {
			dead[s.Server] = append(dead[s.Server], s.Worker)
		}
	}
	if m.open == nil {
		m.open = map[string]*mass{}
	}
	held = map[string]bool{}
	for server, names := range dead {
		if m.open[server] == nil && len(names) >= massLeast && 2*len(names) >= all[server] {
			m.open[server] = &mass{left: massRounds}
		}
	}
	for server, o := range m.open {
		o.dead = append(o.dead, dead[server]...)
		slices.Sort(o.dead)
		o.dead = slices.Compact(o.dead)
		switch {
		case o.left > 0:
			o.left--
			held[server] = true
		case len(dead[server]) == 0:
			delete(m.open, server) // it is over, and a later one is another
		case o.left == 0:
			o.left--
			told = append(told, MassDeath{server, o.dead})
		}
	}
	slices.SortFunc(told, func(a, b MassDeath) int {
		if a.Server < b.Server {
			return -1
		}
		return 1
	})
	return held, told
}
