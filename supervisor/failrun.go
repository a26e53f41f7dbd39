package supervisor

import (
	"slices"
	"strings"
)

// failureRuns finds many failing calls in a row with different inputs; the same
// one again and again is a loop.
func (j *judgement) failureRuns(v *view) {
	v.lines(func(agent string, l *Line) {
		f := v.streak(l)
		marks, same := failing(l.Recent, &f)
		n := min(f.Count-same, maxInputs)
		c := counted(n, j.limits.ToolFailureRunFailures)
		if c == 0 {
			return
		}
		j.add(Issue{
			Type: ToolFailureRun, Session: v.ID, Agent: agent, Confidence: c,
			Signature: signature(ToolFailureRun, v.ID, agent, f.First.anchor()),
			Evidence:  append(marks, f.First, f.Last), Since: f.First,
			Says:    count(f.Count, "call") + " in a row failed, " + atLeast(n, maxInputs) + " of them with different inputs",
			Healthy: "a failure is followed by something that works, and the next step builds on that",
			Suggest: "Stop and read the first of these errors again: later ones often follow from it. Check what they have in common (the folder, a missing program, a permission, a wrong path) with one call that is sure to work.",
		})
	})
}

// streak is the line's run of failing calls. A prompt begins a new one; until it
// has led to a call, the one before stands, so that it can be told at the prompt.
func (v *view) streak(l *Line) Streak {
	n := len(l.Recent)
	if l.Fails.Count > 0 || n == 0 || l.Recent[n-1].Ord > v.Turn.Start.Ord {
		return l.Fails
	}
	var f Streak
	for i := n - 1; i >= 0 && l.Recent[i].Epoch == l.Recent[n-1].Epoch; i-- {
		switch d := &l.Recent[i]; {
		case d.Denied, d.Unsure:
		case !d.Failed:
			return f
		default:
			if f.Count++; f.Count == 1 {
				f.Last = d.Mark
			}
			f.First = d.Mark
			if d.Key != 0 && !slices.Contains(f.Inputs, d.Key) {
				f.Inputs = append(f.Inputs, d.Key)
			}
		}
	}
	return f
}

// failing are the marks of the streak's calls that are still known, and how many
// of them only answered no or had the input of another one.
func failing(recent []Did, f *Streak) (marks []Mark, same int) {
	var keys []uint32
	for i := range recent {
		d := &recent[i]
		if !d.Failed || d.Ord < f.First.Ord || d.Ord > f.Last.Ord {
			continue
		}
		marks = append(marks, d.Mark)
		if answersNo(d) || d.Key != 0 && slices.Contains(keys, d.Key) {
			same++
		}
		keys = append(keys, d.Key)
	}
	return marks, same
}

// answersNo reports whether the call's failure may only be an answer: nothing was
// found, or there is a difference. Claude Code calls that a success, Codex does not.
func answersNo(d *Did) bool {
	if !isShell(d.Tool) {
		return false
	}
	line := d.Input
	if i := strings.LastIndexAny(line, ";&|"); i >= 0 {
		line = line[i+1:]
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "pgrep", "which":
		return true
	}
	return words[0] == "git" && len(words) > 1 && (words[1] == "diff" || words[1] == "grep")
}
