package tree

import "testing"

func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/someone/shop.git": "github.com someone/shop", "https://u:p@GitHub.com/someone/shop": "github.com someone/shop",
		"git@gitlab.example:group/sub/shop.git": "gitlab.example group/sub/shop", "ssh://git@host.example:2222/a/b.git/": "host.example a/b",
		"/srv/git/shop.git": " ", "../shop": " ", "file:///srv/shop": " ", `C:\shop`: " ", "": " ", "https://github.com/": " ",
	} {
		if host, path := origin(address); host+" "+path != want {
			t.Errorf("%s: %q %q", address, host, path)
		}
	}
}
