package edit

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// compareComments compares comments as lists. Comments inside of inserted code go with
// it, and those above an added statement of which the original has fewer.
func (u *Undone) compareComments() {
	if jsast.DiffComments(u.Orig.Comments, u.New.Comments) == nil {
		return
	}
	u.compareToolComments()
	was := u.Orig.Comments
	now := u.withoutAbove(slices.DeleteFunc(slices.Clone(u.New.Comments), func(c jsast.Comment) bool { return u.Taken(c.Range) }))
	front := 0
	for front < min(len(was), len(now)) && was[front].Normal() == now[front].Normal() {
		front++
	}
	was, now = was[front:], now[front:]
	for len(was) > 0 && len(now) > 0 && was[len(was)-1].Normal() == now[len(now)-1].Normal() {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	for i := range max(len(was), len(now)) {
		if len(u.Differences) >= maxDifferences {
			return
		}
		d := Difference{Orig: -1}
		switch {
		case i >= len(was):
			d.What, d.Offset = fmt.Sprintf("a comment was added: %q", short(now[i].Text)), now[i].Start
		case i >= len(now):
			d.What, d.Offset, d.Orig = fmt.Sprintf("a comment is gone: %q", short(was[i].Text)), u.near(was[i].Start, nil), was[i].Start
		case was[i].Normal() == now[i].Normal():
			continue
		default:
			d.What, d.Offset, d.Orig = fmt.Sprintf("a comment is %q, was %q", short(now[i].Text), short(was[i].Text)), now[i].Start, was[i].Start
		}
		u.Differences = append(u.Differences, d)
	}
}

// toolComment finds comments that tell a tool what to do with a whole file: how JSX is compiled,
// what is not checked, what the file was made of, where tests run.
var toolComment = regexp.MustCompile(`^\s*(?:\*\s*)?(?:[#@]\s*source(?:Mapping)?URL=|@jsx\w*\b|@ts-nocheck\b|@(?:no)?flow\b|@(?:jest|vitest)-environment\b|` +
	`(?:eslint-disable|eslint-enable)(?:\s|$)|eslint\s|(?:istanbul|c8|v8)\s+ignore\s+(?:file|start)\b)`)

// compareToolComments finds added comments of that kind, wherever they stand: to go with an
// added statement is no excuse.
func (u *Undone) compareToolComments() {
	had := map[string]int{}
	for _, c := range u.Orig.Comments {
		had[c.Normal()]++
	}
	for _, c := range u.New.Comments {
		had[c.Normal()]--
		told := slices.ContainsFunc(strings.Split(c.Text, "\n"), toolComment.MatchString)
		if told && had[c.Normal()] < 0 && (u.Taken(c.Range) || u.goesWithAddition(c)) && len(u.Differences) < maxDifferences {
			u.Differences = append(u.Differences, Difference{What: fmt.Sprintf("a comment that tools obey was added: %q", short(c.Text)), Offset: c.Start, Orig: -1})
		}
	}
}

// goesWithAddition says whether a comment stands above an added statement, so that nobody
// else tells of it.
func (u *Undone) goesWithAddition(c jsast.Comment) bool {
	return !slices.ContainsFunc(u.withoutAbove(u.New.Comments), func(o jsast.Comment) bool { return o.Range == c.Range })
}

// withoutAbove leaves out comments above added statements. A comment of the original
// stays, even if a statement was added below it: so many with its text are kept.
func (u *Undone) withoutAbove(list []jsast.Comment) []jsast.Comment {
	surplus := map[string]int{}
	for _, c := range list {
		surplus[c.Normal()]++
	}
	for _, c := range u.Orig.Comments {
		surplus[c.Normal()]--
	}
	above := map[int]bool{} // offsets of added statements, and of comments above one
	for _, r := range u.statements {
		above[r.Start] = true
	}
	var out []jsast.Comment
	for _, c := range slices.Backward(list) {
		above[c.Start] = u.isAbove(c, above)
		if above[c.Start] && surplus[c.Normal()] > 0 {
			surplus[c.Normal()]--
			continue
		}
		out = append(out, c)
	}
	slices.Reverse(out)
	return out
}

// isAbove says whether a comment begins its line, and one of starts follows without a
// blank line in between.
func (u *Undone) isAbove(c jsast.Comment, starts map[int]bool) bool {
	before := bytes.TrimRight(u.New.Source[:c.Start], " \t")
	if len(before) > 0 && before[len(before)-1] != '\n' {
		return false
	}
	behind := u.New.Source[c.End:]
	rest := bytes.TrimLeft(behind, " \t\r\n")
	gap := behind[:len(behind)-len(rest)]
	return bytes.Count(gap, []byte("\n")) <= 1 && starts[c.End+len(gap)]
}
