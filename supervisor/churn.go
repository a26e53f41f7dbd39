package supervisor

import (
	"slices"
	"strconv"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// churn finds files that were rewritten back and forth: at least two earlier contents
// came back. An edit that is undone once, or after each of several trials, is not
// reported.
func (j *judgement) churn(v *view) {
	if v.End.Is() || v.mode == state.Gone {
		return
	}
	for _, f := range v.Files {
		a := alternation(f.Hashes)
		c := counted(a.returns, j.limits.EditChurnReturns)
		if c == 0 || len(a.kinds) < 2 || finished(v.Session, f.Hashes[len(f.Hashes)-1].Mark) {
			continue
		}
		j.add(Issue{
			Type: limits.EditChurn, Session: v.ID, Confidence: c,
			Signature: signature(limits.EditChurn, v.ID, f.Wt, f.Path, strconv.FormatUint(uint64(slices.Min(a.kinds)), 16)),
			Evidence:  a.marks, Since: a.marks[0],
			Says:    "the file " + quoted(f.Path) + " was rewritten back and forth: " + count(a.returns, "time") + " it got a content that it had before",
			Healthy: "each edit of a file brings it to a content that it has not had",
			Suggest: "Two changes of this file undo each other. Write down what each of them is for, find what makes both seem right (often another file or a " +
				"test), and decide once.",
		})
	}
}

type alternating struct {
	returns int
	kinds   []uint32     // the contents that did
	marks   []state.Mark // of the edits, from the first that came back
}

// alternation walks back over the newest contents as long as each had been there before.
func alternation(versions []state.Version) alternating {
	var a alternating
	from := len(versions)
	for i := len(versions) - 1; i > 0; i-- {
		before := indexOf(versions[:i], versions[i].Hash)
		if before < 0 {
			break
		}
		from = min(from, before)
		a.returns++
		if !slices.Contains(a.kinds, versions[i].Hash) {
			a.kinds = append(a.kinds, versions[i].Hash)
		}
	}
	for i := from; i < len(versions); i++ {
		a.marks = append(a.marks, versions[i].Mark)
	}
	return a
}

func indexOf(versions []state.Version, hash uint32) int {
	if hash == 0 {
		return -1
	}
	return slices.IndexFunc(versions, func(v state.Version) bool { return v.Hash == hash })
}
