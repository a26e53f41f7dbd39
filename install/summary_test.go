package install

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/lab/world"
)

// The summary says of a file what comes, is renewed and goes.
func TestSummary(t *testing.T) {
	const theirs = "{\n  \"model\": \"opus\",\n  \"statusLine\": {\"type\": \"command\", \"command\": \"mine\"}\n}\n"
	wrap := func(o *Options) { o.StatusLine = WrapStatus }
	for _, c := range []struct {
		name           string
		agent          Agent
		before, change func(*Options) // an install with the first is there already; nil for none
		moved          bool           // the hook is somewhere else by now
		out            bool
		want           string
	}{
		{name: "first", agent: Claude, want: "+20 -1 adds {17 []}, renews {0 []}, takes {0 []}"},
		{name: "all", agent: Claude, change: func(o *Options) { o.StatusLine, o.AllowLog = WrapStatus, true },
			want: "+23 -1 adds {17 [a status line around yours the permission rule Bash(aburn log:*)]}, renews {0 []}, takes {0 []}"},
		{name: "again", agent: Claude, before: wrap, want: "+0 -0 adds {0 []}, renews {0 []}, takes {0 []}"},
		{name: "moved", agent: Claude, before: wrap, moved: true, want: "+18 -18 adds {0 []}, renews {17 [a status line around yours]}, takes {0 []}"},
		{name: "out", agent: Claude, before: func(o *Options) { o.AllowLog = true }, out: true,
			want: "+1 -23 adds {0 []}, renews {0 []}, takes {17 [the permission rule Bash(aburn log:*)]}"},
		{name: "the line alone", agent: Claude, before: wrap, change: func(o *Options) { o.StatusLine = DropStatus }, out: true,
			want: "+1 -1 adds {0 []}, renews {0 []}, takes {0 [a status line around yours]}"},
		{name: "a file of our own", agent: Opencode, want: fmt.Sprintf("adds {%d []}, renews {0 []}, takes {0 []}", len(Opencode.Hooks.Events))},
	} {
		t.Run(c.name, func(t *testing.T) {
			var file []byte
			if c.agent == Claude {
				world.UnixPaths(t)
				file = []byte(theirs)
			}
			b := newBench(t, c.agent, file)
			asked := b.options
			if c.before != nil {
				c.before(&b.options)
				b.install()
			}
			if c.moved {
				elsewhere := filepath.Join(b.home, "else")
				if err := os.Rename(filepath.Join(b.home, "bin"), elsewhere); err != nil {
					t.Fatal(err)
				}
				asked.Env = func(name string) string {
					if name == "PATH" {
						return elsewhere
					}
					return b.env(name)
				}
			}
			plan := Plan
			if c.out {
				plan = PlanUninstall
			}
			if c.change != nil {
				c.change(&asked)
			}
			change, err := plan(asked)
			if err != nil {
				t.Fatal(err)
			}
			s := change.Files[0].Summary()
			got := fmt.Sprintf("adds %v, renews %v, takes %v", s.Adds, s.Renews, s.Takes)
			if c.agent == Claude {
				got = fmt.Sprintf("+%d -%d ", s.Added, s.Removed) + got
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
