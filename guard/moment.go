package guard

// moment judges what a condition asks of the repository.
func (m *matcher) moment(c *Condition, dir string) Truth {
	all := judged{truth: Yes}
	for _, one := range [...]struct {
		want *bool
		is   func(string) Truth
	}{{c.Dirty, m.facts.Dirty}, {c.Pushed, m.facts.Pushed}} {
		if one.want == nil {
			continue
		}
		truth := Unknown
		if dir != "" {
			truth = one.is(dir)
		}
		if !*one.want {
			truth = not(truth)
		}
		all.and(truth, "")
	}
	if len(c.Branch) > 0 {
		truth := Unknown
		if branch := m.facts.Branch(dir); branch != "" && dir != "" {
			truth = TruthOf(matchAny(c.Branch, branch))
		}
		all.and(truth, "")
	}
	return all.truth
}

// counts judges what a condition asks of the session's numbers.
func (m *matcher) counts(c *Condition) Truth {
	if !c.OfCounts() && c.After == "" {
		return Yes
	}
	n, ok := m.facts.Counts()
	if !ok {
		return Unknown
	}
	calls, agents := n.Turn, n.Agents
	if c.Per == "session" {
		calls, agents = n.Session, n.SessionAgents
	}
	return TruthOf(calls >= c.Calls && n.Repeats >= c.Repeats && n.Failures >= c.Failures && agents >= c.Agents && (c.After == "" || n.SecretRead))
}
