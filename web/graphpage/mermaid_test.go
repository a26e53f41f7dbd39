package graphpage

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"aburn/trace"
)

func TestMermaid(t *testing.T) {
	nodes := []Node{
		{Node: 1, Name: "5b0c2f91", Source: "claude", Ask: `say "hi"; [x] <b> #1 ` + "`tick`\n---", Outcome: "completed", Own: Sums{Calls: 1, Tokens: 1200}},
		{Node: 2, Parent: 1, Name: "a1", Source: "claude", Relation: trace.Subagent, AgentType: "explore", Description: "look", Outcome: "killed",
			Own: Sums{Calls: 3, Failed: 2}},
		{Node: 3, Parent: 1, Name: "b2", Source: "claude", Relation: trace.Fork, Provenance: trace.Inferred, Outcome: "unknown"},
		{Node: 4, Parent: 2, Name: "c3", Source: "claude", Relation: trace.Continuation, Missing: true},
	}
	var b bytes.Buffer
	if err := Mermaid(&b, nodes); err != nil {
		t.Fatal(err)
	}
	want := `flowchart LR
  n1["claude 5b0c2f91<br/>say #34;hi#34;#59; #91;x#93; #60;b#62; #35;1 #96;tick#96; ---<br/>completed, 1 call, 0 failed, 1,200 tokens"]:::completed
  n2["claude a1<br/>explore: look<br/>killed, 3 calls, 2 failed, 0 tokens"]:::killed
  n1 -->|"subagent"| n2
  n3["claude b2<br/>unknown, 0 calls, 0 failed, 0 tokens"]:::unknown
  n1 -.->|"fork, inferred"| n3
  n4["claude c3<br/>not in the archive"]:::missing
  n2 ==>|"continuation"| n4
`
	if got, _, _ := strings.Cut(b.String(), "  classDef"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Whatever a session was asked, each of its lines in the diagram stays one line with two quotes.
func TestMermaidOfHostileTexts(t *testing.T) {
	p := drawn(40)
	for i := range p.Nodes {
		p.Nodes[i].Ask = "\"]\nclick n1 href \"javascript:alert(1)\"\x1b[31m\u202e`"
		p.Nodes[i].Name = `"]:::x`
	}
	var b bytes.Buffer
	if err := Mermaid(&b, p.Nodes); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^(flowchart LR|  n\d+\["[^"\[\]]*"\]:::[a-z_]+|  n\d+ (-->|-\.->|==>)\|"[a-z, ]+"\| n\d+|  classDef [a-z_]+ [^"]*)$`)
	for text := range strings.Lines(b.String()) {
		if !line.MatchString(strings.TrimSuffix(text, "\n")) || strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%q", text)
		}
	}
}
