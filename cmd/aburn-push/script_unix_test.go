//go:build unix

package main

import (
	"flag"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"aburn/cmd/aburn-push/internal/figures"
	"aburn/cmd/aburn-push/internal/postgres"
	"aburn/internal/lab/world"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// TestScripts runs testdata/script: the manual, one page a file. Each has an archive with three projects in /home/user/work, an
// empty database, and its addresses for the roles owner and anna.
func TestScripts(t *testing.T) {
	newDatabase(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			k := newDatabase(t)
			m := &machine{T: t, home: filepath.Join(env.WorkDir, "home")}
			m.fill(9, 10)
			env.Setenv("HOME", m.home)
			env.Setenv("ABURN_HOME", m.archive())
			env.Setenv("OWNER", k.address("owner"))
			env.Setenv("ANNA", k.address("anna"))
			env.Setenv("SOCKET", k.dir)
			env.Setenv("TZ", "America/Los_Angeles")
			env.Setenv("DATABASE", k.name)
			return nil
		},
	})
}

// TestPages: each member of what --json prints stands in docs/formats/json.md, each table and view in the guide.
func TestPages(t *testing.T) {
	world.Slow(t)
	page := func(name string) string {
		b, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	_, text, _ := strings.Cut(page("formats/json.md"), "\n## `aburn push`\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, typ := range []reflect.Type{reflect.TypeFor[figures.Day](), reflect.TypeFor[figures.Session](), reflect.TypeFor[figures.Failure](),
		reflect.TypeFor[figures.Rows](),
		reflect.TypeFor[postgres.Sent](), reflect.TypeFor[postgres.Done]()} {
		for _, f := range reflect.VisibleFields(typ) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && !strings.Contains(text, "`"+name+"`") {
				t.Errorf("json.md does not have %s of %s", name, typ)
			}
		}
	}
	guide := page("guide/team.md")
	k := newTeam(t)
	for name := range strings.Lines(k.text(k.owner,
		"SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'aburn' AND table_name NOT IN ('meta', 'pushed')")) {
		if !strings.Contains(guide, "| `"+strings.TrimSpace(name)+"` |") {
			t.Errorf("the guide does not have %s", name)
		}
	}
}
