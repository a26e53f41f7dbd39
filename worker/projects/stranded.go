package projects

import (
	"fmt"
	"strings"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// Stranded are the workers of this project that are recorded for a path where it was before.
func Stranded(o *Project) []ledger.Stranded {
	return ledger.StrandedFrom(o.Root, tree.Linked(o.Checkout), o.Env)
}

// maxStranded is how many workers are named.
const maxStranded = 5

func StrandedText(s ledger.Stranded) string {
	named := strings.Join(s.Names[:min(len(s.Names), maxStranded)], ", ")
	if n := len(s.Names) - maxStranded; n > 0 {
		named += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("this project was at %s, where %s recorded: %s", s.Root, plain.Plural(int64(len(s.Names)), "worker is", "workers are"), named)
}

// Stranded refuses a new worker while others are recorded for a former path: a project has one list of them.
func (o *Project) Stranded() error {
	if list := Stranded(o); len(list) > 0 {
		return fault.Failed(plain.Line(StrandedText(list[0])), "aburn project repair")
	}
	return nil
}
