package forest

import (
	"strings"
	"testing"

	"aburn/web/graphpage"
)

// The lines in front of a tree lead from each node to its parent.
func TestBranches(t *testing.T) {
	for _, c := range []struct {
		name   string
		depths string
		want   string
	}{
		{"alone", "0", ""},
		{"children", "011", ",├ ,└ "},
		{"below the first", "0121", ",├ ,│ └ ,└ "},
		{"below the last", "01122", ",├ ,└ ,  ├ ,  └ "},
		{"two trees", "01001", ",└ ,,,└ "},
		{"up by two", "01231", ",├ ,│ └ ,│   └ ,└ "},
		{"siblings further down", "012312", ",├ ,│ └ ,│   └ ,└ ,  └ "},
	} {
		var nodes []graphpage.Node
		for _, d := range c.depths {
			nodes = append(nodes, graphpage.Node{Depth: int(d - '0')})
		}
		if got := strings.Join(branches(nodes), ","); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	var deep []graphpage.Node
	for d := range 3000 {
		deep = append(deep, graphpage.Node{Depth: d})
	}
	if got := branches(deep)[2999]; got != "2999 └ " {
		t.Errorf("at depth 2999: %q", got)
	}
}
