package claude_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/tracetest"
)

func TestDump(t *testing.T) {
	dir := os.Getenv("ABURN_DUMP")
	if dir == "" {
		t.Skip()
	}
	s := tracetest.Read(t, claude.New(), dir)
	fmt.Println(s.Errors, s.Damage)
	trace.Link(s.Ordered())
	for _, tr := range s.Ordered() {
		c, _ := json.Marshal(tr.Count())
		rel, _ := json.Marshal(tr.Relationships)
		fmt.Println("=====", tr.ID, tr.Agent, tr.Project, tr.Outcome, tr.OutcomeFrom, string(c), tr.Usage, string(rel), tr.Lineage, string(tr.Extra))
		for _, e := range tr.Events {
			b, _ := json.Marshal(e.Body)
			x := ""
			if r, ok := e.Body.(*trace.ToolResult); ok {
				d, _ := json.Marshal(tr.Results[r.Result])
				x = string(d)
			}
			fmt.Println(e.Seq, e.Ref.Line, e.Body.Kind(), string(b), x, "by="+e.By, e.Copied, e.Abandoned, e.Inferred)
		}
	}
}
