package insight_test

import (
	"fmt"
	"strings"
	"testing"

	"aburn/insight"
)

// What is asked of each call must not look at all others: sessions can have hundreds of thousands. Where it did, this took half
// a minute.
func TestLong(t *testing.T) {
	const calls = 20000
	var open, failed strings.Builder
	for i := range calls {
		fmt.Fprintf(&open, "c%d:Bash=go_test@r1 ", i)
	}
	d := insight.Make(drawn(t, open.String()), false)
	if d.Verdict.Rule != insight.RuleOpenCalls || d.Verdict.Events[4] != calls {
		t.Errorf("open calls: %+v", d.Verdict)
	}
	for i := range insight.MaxErrors {
		fmt.Fprintf(&failed, "c%d:Bash=make%c%c bad:1:odd_%c%c ", i, 'a'+i%26, 'a'+i/26, 'a'+i%26, 'a'+i/26)
	}
	for i := range calls {
		fmt.Fprintf(&failed, "c%d:Bash=cd_/tmp;npm_test_%d ok ", calls+i, i)
	}
	d = insight.Make(drawn(t, failed.String()+"c1a:Bash=makeba ok"), false)
	if d.Errors[1].Solved != len(d.Errors)*2+calls*2+1 || d.Errors[0].Solved != 0 {
		t.Errorf("solved: %+v", d.Errors[:2])
	}
}
