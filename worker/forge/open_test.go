package forge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind names the forge of each remote, or the reason why none is asked. A token never goes to a host that the user's own file
// does not name.
func TestFind(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "token")
	os.WriteFile(shared, []byte("hidden\n"), 0o600)
	os.Chmod(shared, 0o644)
	token := []string{"T=old", "T=hidden", "GH_HOST=git.corp.example"}
	for _, c := range []struct {
		name, remote string
		a            Access
		want         string
	}{
		{"public GitHub", "git@github.com:acme/cart.git", Access{}, "github github.com"},
		{"GitHub of GH_HOST", "https://git.corp.example/acme/cart", Access{Environ: token}, "github git.corp.example"},
		{"public GitLab", "https://gitlab.com/acme/cart", Access{TokenEnv: "T", Environ: token}, "gitlab gitlab.com hidden"},
		{"own GitLab", "https://code.example/acme/cart", Access{Host: "code.example", TokenEnv: "T", Environ: token}, "gitlab code.example hidden"},
		{"name of ssh's settings", "git@work:acme/cart", Access{Host: "code.example", TokenEnv: "T", Environ: token}, "gitlab code.example hidden"},
		{"plugin before host", "https://gitlab.com/acme/cart", Access{Plugin: "github"}, "github gitlab.com"},
		{"unknown host", "https://code.example/acme/cart", Access{}, "aburn does not know which forge code.example is"},
		{"unknown plugin", "https://github.com/acme/cart", Access{Plugin: "nowhere"}, "aburn does not know which forge github.com is"},
		{"plugin of a clone", "https://evil.example/acme/cart", Access{Plugin: "gitlab", TokenEnv: "T", Environ: token}, "evil.example gets your token"},
		{"no token", "https://gitlab.com/acme/cart", Access{}, "GitLab is asked with a token"},
		{"empty variable", "https://gitlab.com/acme/cart", Access{TokenEnv: "X", Environ: token}, "your environment has no X"},
		{"shared file", "https://gitlab.com/acme/cart", Access{TokenFile: shared}, "scm.token_file: others can read"},
		{"http", "https://gitlab.com/acme/cart", Access{URL: "http://gitlab.com", TokenEnv: "T", Environ: token}, "no address that a token may go to"},
		{"a folder", "https://u:pw@h/x", Access{}, "is on no forge: https://…@h/x"},
	} {
		f, owner, err := Find(Remote{Name: "origin", Push: c.remote, Base: c.remote}, c.a)
		got := ""
		switch f := f.(type) {
		case *GitLab:
			got = f.Name() + " " + f.Host() + " " + f.Token
		case *GitHub:
			got = f.Name() + " " + f.Host()
		}
		if err != nil {
			got = err.Error()
		} else if owner != "acme" {
			t.Errorf("%s: the owner is %q", c.name, owner)
		}
		if err == nil && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
