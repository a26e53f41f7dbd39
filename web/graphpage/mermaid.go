package graphpage

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"aburn/internal/plain"
	"aburn/trace"
)

// Mermaid writes the nodes as a Mermaid flowchart. Solid lines are sub-agents, dotted lines
// forks, thick lines continuations. The colour is the outcome.
func Mermaid(w io.Writer, nodes []Node) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "flowchart LR")
	for i := range nodes {
		n := &nodes[i]
		lines := []string{mermaidText(n.Source + " " + n.Name)}
		if label := mermaidText(plain.Cut(plain.Line(n.Label()), 48)); label != "" {
			lines = append(lines, label)
		}
		class := n.Outcome
		if n.Missing {
			class = "missing"
		} else {
			lines = append(lines, mermaidText(fmt.Sprintf("%s, %s, %d failed, %s tokens", n.Outcome, plain.Plural(int64(n.Own.Calls), "call"), n.Own.Failed,
				plain.Count(n.Own.Tokens))))
		}
		fmt.Fprintf(b, "  n%d[\"%s\"]:::%s\n", n.Node, strings.Join(lines, "<br/>"), class)
		if n.Parent != 0 {
			fmt.Fprintf(b, "  n%d %s n%d\n", n.Parent, arrow(n), n.Node)
		}
	}
	for _, class := range []string{
		"completed stroke:#2a9d64", "interrupted stroke:#c98500", "errored stroke:#d1383d", "gave_up stroke:#d1383d",
		"killed stroke:#d1383d,stroke-dasharray:4", "crashed stroke:#d1383d,stroke-dasharray:4",
		"running stroke:#2f7fb8", "unknown stroke:#888888", "missing stroke:#888888,stroke-dasharray:2",
	} {
		fmt.Fprintf(b, "  classDef %s,stroke-width:2px\n", class)
	}
	return b.Flush()
}

func arrow(n *Node) string {
	word := string(n.Relation)
	if n.Provenance == trace.Inferred {
		word += ", inferred"
	}
	switch n.Relation {
	case trace.Fork:
		return `-.->|"` + word + `"|`
	case trace.Continuation:
		return `==>|"` + word + `"|`
	}
	return `-->|"` + word + `"|`
}

// mermaidText makes s plain text in a label: it cannot close the quotes or be markup. All but
// letters, digits and some punctuation become Mermaid's character codes.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range plain.Line(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" .,:/_-+=()", r), r >= 0x80:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
