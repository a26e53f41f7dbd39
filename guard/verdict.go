package guard

import (
	"fmt"
	"strings"

	"aburn/guard/shell"
)

// Result is what a rule says of a call.
type Result struct {
	Rule *Rule
	Hit  bool
	// Open is the reason why it is not known whether the rule is about the call; "" if it is known. A rule whose Opaque is
	// set hits such a call.
	Open string
	// Moment: it is open because of the moment, not of the text.
	Moment bool
	// Part is the program or file that was hit.
	Part string
}

// Verdict is what the rules say of a call.
type Verdict struct {
	Hits   []Result // the strictest first; of equal ones the first rule's
	Open   []Result // the rules of which it is not known
	Opaque []string // what is not known of the call itself
	Line   *shell.Line
}

// Winner is the hit that decides; nil if there is none. The strictest action wins.
func (v *Verdict) Winner() *Result {
	if len(v.Hits) == 0 {
		return nil
	}
	return &v.Hits[0]
}

// Contradicts are the hits that want something else than the winner.
func (v *Verdict) Contradicts() (list []Result) {
	for _, h := range v.Hits {
		if h.Rule.Do != v.Hits[0].Rule.Do {
			list = append(list, h)
		}
	}
	return list
}

// show is a program as people read it.
func show(p *shell.Program) string {
	text := p.Path.Text
	for _, a := range p.Args {
		text += " " + a.Text
	}
	for _, r := range p.Redirects {
		text += fmt.Sprintf(" %s%s", map[bool]string{true: ">", false: "<"}[r.Write], r.Path.Text)
	}
	return strings.TrimSpace(strings.ReplaceAll(text, shell.Hole, "…"))
}

// Programs are the programs that the call's command starts, as people read them.
func (v *Verdict) Programs() (list []string) {
	if v.Line == nil {
		return nil
	}
	for i := range v.Line.Programs {
		list = append(list, show(&v.Line.Programs[i]))
	}
	return list
}
