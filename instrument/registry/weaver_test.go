package registry_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/instrument/registry"
)

// standIn puts a scripted weaver on PATH. body is what it does with its arguments;
// they and its environment go to the files args and env beside it.
func standIn(t *testing.T, version, body string) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir = t.TempDir()
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'weaver " + version + "'; exit 0; fi\necho \"$@\" >> " + dir + "/args\nenv > " + dir + "/env\n" +
		body + "\n"
	if err := os.WriteFile(filepath.Join(dir, "weaver"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

func TestFindWeaverKnowsVersions(t *testing.T) {
	for version, want := range map[string]string{
		"0.21.2": "", "0.25.1": "", "1.0.0": "", "0.26.0-dev": "",
		"0.21.1": "weaver 0.21.1 is older than 0.21.2",
		"0.24.0": "weaver 0.24.0 cannot be used: its flags take the next argument away",
		"x":      `weaver has the version "x", which is none`,
	} {
		standIn(t, version, "exit 3")
		_, err := registry.FindWeaver(t.Context(), "0.21.2")
		if got := ""; err != nil {
			got = err.Error()
			if got != want {
				t.Errorf("%s: %s, want %s", version, got, want)
			}
		} else if want != "" {
			t.Errorf("%s: no error, want %s", version, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := registry.FindWeaver(t.Context(), "0.21.2"); err != registry.ErrNoWeaver {
		t.Errorf("without weaver: %v", err)
	}
}

func TestAConfigurationSaysWhetherWeaverIsAsked(t *testing.T) {
	for _, tt := range []struct{ version, mode, name, why, err string }{
		{"0.25.1", "auto", "weaver 0.25.1", "", ""},
		{"0.25.1", "required", "weaver 0.25.1", "", ""},
		{"0.25.1", "never", "", "", ""},
		{"0.20.0", "auto", "", "weaver 0.20.0 is older than 0.21.2", ""},
		{"0.20.0", "required", "", "", "weaver 0.20.0 is older than 0.21.2"},
		{"", "auto", "", "", ""},
		{"", "required", "", "", "weaver is not on PATH"},
	} {
		t.Setenv("PATH", t.TempDir())
		if tt.version != "" {
			standIn(t, tt.version, "exit 0")
		}
		w, why, err := registry.Wanted(t.Context(), tt.mode, "0.21.2", "")
		name, failed := "", ""
		if w != nil {
			name = w.Name()
		}
		if err != nil {
			failed = err.Error()
		}
		if name != tt.name || why != tt.why || failed != tt.err {
			t.Errorf("%s with %q: %q, %q, %q", tt.mode, tt.version, name, why, failed)
		}
	}
}

const (
	refAnswer = `[{"error":{"UnresolvedAttributeRef":{"group_id":"c","attribute_ref":"shop.id","provenance":"DIR/a.yaml"}},"diagnostic":{"message":"The ` +
		`following attribute reference is not resolved","severity":"Error"}}]`
	warnAnswer = `[{"error":{"InvalidGroupStability":{"path_or_url":"DIR/a.yaml","group_id":"c","error":"e"}},"diagnostic":{"message":"m","severity":"Warning"}}]`
)

func TestJudgeComparesBothAndTheStricterWins(t *testing.T) {
	const (
		broken = "groups: [{id: c, type: attribute_group, brief: b, attributes: [{ref: shop.id}]}]\n"
		fine   = "groups: [{id: c, type: attribute_group, brief: b, attributes: [{id: x.y, type: int, brief: b, stability: stable}]}]\n"
		second = "file_format: definition/2\nattribute_groups: [{id: c, visibility: internal, attributes: [{ref: shop.id}]}]\n"
	)
	for _, tt := range []struct {
		name, text, body string
		want             []string
	}{
		{"both find nothing", fine, "exit 0", nil},
		{"both find it", broken, "echo '" + refAnswer + "'; exit 1", []string{"a.yaml:1 error UnresolvedAttributeRef"}},
		{"logs stand before it", broken, "echo 'a log line'; echo '" + refAnswer + "'; exit 1", []string{"a.yaml:1 error UnresolvedAttributeRef"}},
		{"weaver alone", fine, "echo '" + refAnswer + "'; exit 1", []string{"a.yaml:0 error UnresolvedAttributeRef", "a.yaml:0 warning WeaverDiffers"}},
		{"aburn alone", broken, "exit 0", []string{"a.yaml:1 error UnresolvedAttributeRef", "a.yaml:1 warning WeaverDiffers"}},
		{"a warning of weaver's", fine, "echo '" + warnAnswer + "'", nil},
		{"both find it in definition/2", second, "echo '" + refAnswer + "'; exit 1", []string{"a.yaml:2 error UnresolvedAttributeRef"}},
		{"what only this version refuses", fine, `echo '[{"error":{"InvalidRegistryManifest":{"path":"m"}},"diagnostic":{"message":"m"}}]'; exit 1`,
			[]string{":0 error InvalidRegistryManifest"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": tt.text})
			at := standIn(t, "0.25.1", strings.ReplaceAll(tt.body, "DIR", dir))
			t.Setenv("SHOP_KEY", "not for weaver")
			w, err := registry.FindWeaver(t.Context(), "0.21.2")
			if err != nil {
				t.Fatal(err)
			}
			report, err := registry.Judge(t.Context(), dir, registry.Options{}, w)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, brief(report.Findings)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"aburn", "weaver 0.25.1"}, report.Judges); diff != "" {
				t.Error(diff)
			}
			args, _ := os.ReadFile(filepath.Join(at, "args"))
			if want := "registry check -r " + dir + " --diagnostic-format json --diagnostic-stdout\n"; string(args) != want {
				t.Errorf("started with %s", args)
			}
			if env, err := os.ReadFile(filepath.Join(at, "env")); err != nil || strings.Contains(string(env), "SHOP_KEY") {
				t.Errorf("weaver got the environment %s %v", env, err)
			}
		})
	}
}

func TestJudgeSaysWhatWeaverDidWrong(t *testing.T) {
	dir := write(t, map[string]string{"manifest.yaml": manifest, "a.yaml": "groups: []\n"})
	for body, want := range map[string]string{
		"echo 'no such flag' >&2; exit 2": "weaver 0.25.1: failed with exit code 2: no such flag",
		"echo text; exit 1":               "weaver 0.25.1: printed no list of diagnostics",
		"exit 1":                          "weaver 0.25.1: failed with exit code 1: ",
	} {
		standIn(t, "0.25.1", body)
		w, err := registry.FindWeaver(t.Context(), "0.21.2")
		if err != nil {
			t.Fatal(err)
		}
		report, err := registry.Judge(t.Context(), dir, registry.Options{}, w)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if diff := cmp.Diff([]string{"aburn"}, report.Judges); diff != "" {
			t.Errorf("the native verdict is kept: %s", diff)
		}
	}
}

func TestResolveAndDiffOfWeaver(t *testing.T) {
	dir := write(t, map[string]string{"a.yaml": "groups: []\n"})
	const answer = `{"registry_url":"https://e.com/shop/0.1.0","groups":[{"id":"g","type":"span","brief":"b","attributes":[{"name":"x.y",` +
		`"type":{"members":[{"id":"a","value":1}]},"brief":"b","requirement_level":{"opt_in":"t"}}],"span_kind":"client"}]}`
	standIn(t, "0.21.2",
		"case $2 in resolve) echo '"+answer+
			`';; *) echo '{"head":{},"changes":{"spans":[{"type":"added","name":"s"}],"registry_attributes":[{"type":"renamed","old_name":"a","new_name":"b",`+
			`"note":"n"}]}}';; esac`)
	w, err := registry.FindWeaver(t.Context(), "0.21.2")
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Resolve(t.Context(), dir)
	if err != nil || got.Groups[0].Attributes[0].Level != (registry.Level{Name: "opt_in", Text: "t"}) || got.Name != "e.com/shop" || len(got.Hash) != 64 {
		t.Errorf("%+v %v", got, err)
	}
	changes, err := w.Diff(t.Context(), dir, dir)
	want := []registry.Change{{Kind: registry.Renamed, Item: "attribute", Name: "a", New: "b"}, {Kind: registry.Added, Item: "span", Name: "s"}}
	if diff := cmp.Diff(want, changes); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
