package supervisor

import (
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"path"
	"slices"
	"strings"
)

// outputs finds files that a COMPLETE names and that are not there. A file whose
// hash was taken was there then; it may have been moved since.
func (j *judgement) outputs(v *view) {
	v.completed(func(agent string, r *state.Run) {
		if !j.lately(r.End) {
			return
		}
		var gone []string
		c := 0.0
		for _, o := range r.Outputs {
			if !checkable(o.Path) || j.o.Exists[state.OutputKey{Wt: r.Wt, Path: o.Path}] != state.No {
				continue
			}
			gone = append(gone, o.Path)
			if o.Hashed {
				c = max(c, 0.8)
			} else {
				c = 0.95
			}
		}
		if len(gone) == 0 || j.wentFurther(r, c < 0.9) {
			return
		}
		says := "the COMPLETE of " + quoted(r.Cmd) + r.End.Cited() + " names " + list(gone, 3) + ", which "
		if len(gone) == 1 {
			says += "does not exist"
		} else {
			says += "do not exist"
		}
		if c < 0.9 {
			says += " any more"
		}
		j.add(Issue{
			Type: limits.IncompleteOutput, Session: v.ID, Agent: agent, Confidence: c,
			Signature: signature(limits.IncompleteOutput, v.ID, agent, r.Cmd, r.End.Anchor()),
			Evidence:  []state.Mark{r.End}, Since: r.End,
			Says:    says,
			Healthy: "every file that a COMPLETE names exists, so that the next command can read it",
			Suggest: "Write what is missing, or log COMPLETE again with the files that there are.",
		})
	})
}

// completed calls do for the newest complete run of each command of the session,
// and those of its sub-agents.
func (v *view) completed(do func(agent string, r *state.Run)) {
	runs := ownRuns(v.Session)
	for i, r := range runs {
		again := slices.ContainsFunc(runs[i+1:], func(later *state.Run) bool { return later.Cmd == r.Cmd && later.Wt == r.Wt })
		if r.End.Is() && !r.Failed && !again {
			do("", r)
		}
	}
	for _, a := range v.Agents {
		if r := a.Line.Run; r != nil && r.End.Is() && !r.Failed {
			do(a.Name(), r)
		}
	}
}

// checkable reports whether an output is a path in the worktree, and not an
// address, a pattern, or a place elsewhere.
func checkable(name string) bool {
	if name == "" || strings.ContainsAny(name, "*?<>|\n\x00…") || strings.Contains(name, "://") {
		return false
	}
	switch name[0] {
	case '/', '~', '#', '@', '-', '$':
		return false
	}
	if strings.HasPrefix(name, "../") || len(name) > 1 && name[1] == ':' {
		return false
	}
	return strings.ContainsAny(name, "/.") && !strings.Contains(name, " (") && !isVersion(name)
}

// isVersion reports whether a name is a version or a tag, like v1.2.0 and
// app-1.2.0-rc.1: its last part is a number, and not its only one.
func isVersion(name string) bool {
	last := path.Ext(name)
	return len(last) > 1 && strings.Trim(last[1:], "0123456789") == "" && strings.Contains(strings.TrimSuffix(name, last), ".") && !strings.Contains(name, "/")
}

// wentFurther reports whether the next command was done in the same worktree, or
// begun where the outputs are known to have existed: nobody needs them any more.
func (j *judgement) wentFurther(r *state.Run, existed bool) bool {
	for _, l := range j.s.Links {
		if cmd, ok := j.model.Command(l.Cmd); ok && cmd.After == r.Cmd && l.Wt == r.Wt && (existed && l.Start.Ord > r.End.Ord || l.Complete.Ord > r.End.Ord) {
			return true
		}
	}
	return false
}
