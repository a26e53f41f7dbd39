package main

import (
	"path"
	"reflect"
	"slices"
	"testing"
)

// .goreleaser.yaml builds each executable of cmd, all of them in the same way: packaging builds them with one command.
func TestGoreleaserBuildsEachExecutable(t *testing.T) {
	c, err := readConfig(rootOfSource)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.executables(), folders(t); !slices.Equal(got, want) {
		t.Errorf("it builds %v, and cmd holds %v", got, want)
	}
	for _, b := range c.Builds {
		if b.Binary != path.Base(b.Main) {
			t.Errorf("%s becomes %s", b.Main, b.Binary)
		}
		b.Main, b.Binary = c.Builds[0].Main, c.Builds[0].Binary
		if !reflect.DeepEqual(b, c.Builds[0]) {
			t.Errorf("%+v is built otherwise than %+v", b, c.Builds[0])
		}
	}
	for _, n := range c.Nfpms {
		if n.Homepage != c.Nfpms[0].Homepage || n.Maintainer != c.Nfpms[0].Maintainer || n.Homepage == "" || n.Maintainer == "" {
			t.Errorf("deb, rpm and apk differ: %+v", n)
		}
	}
	if got := c.Nfpms[len(c.Nfpms)-1].Description; got != c.about() {
		t.Errorf("apk says %q, and the others %q", got, c.about())
	}
}
