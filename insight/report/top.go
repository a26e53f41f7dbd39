package report

// Top is the report with lists of at most n members, and with what they leave out in More. It shares what it keeps.
func (r *Report) Top(n int) *Report {
	t := *r
	t.Agents, t.More.Agents = head(t.Agents, n, t.More.Agents)
	t.Failures, t.More.Failures = head(t.Failures, n, t.More.Failures)
	t.Errors, t.More.Errors = head(t.Errors, n, t.More.Errors)
	t.Classes, t.More.Classes = head(t.Classes, n, t.More.Classes)
	t.Loops, t.More.Loops = head(t.Loops, n, t.More.Loops)
	t.Tools, t.More.Tools = head(t.Tools, n, t.More.Tools)
	t.Slow, t.More.Slow = head(t.Slow, n, t.More.Slow)
	t.Phases, t.More.Phases = head(t.Phases, n, t.More.Phases)
	t.Weeks, t.More.Weeks = tail(t.Weeks, n, t.More.Weeks)
	t.Remedies, t.More.Remedies = tail(t.Remedies, n, t.More.Remedies)
	return &t
}

func head[T any](list []T, n, more int) ([]T, int) {
	if len(list) <= n {
		return list, more
	}
	return list[:n], more + len(list) - n
}

func tail[T any](list []T, n, more int) ([]T, int) {
	if len(list) <= n {
		return list, more
	}
	return list[len(list)-n:], more + len(list) - n
}
