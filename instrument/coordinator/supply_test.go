package coordinator

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"aburn/instrument/jsproject"
	"aburn/internal/lab/world"
)

const (
	noAPI   = "{\n  \"name\": \"shop\",\n  \"private\": true\n}\n"
	withAPI = "{\n  \"name\": \"shop\",\n  \"private\": true,\n  \"dependencies\": {\n    \"@opentelemetry/api\": \"^1.9.0\"\n  }\n}\n"
)

// npm puts a program of this name first on PATH.
func npm(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// installs writes package.json as npm does, and a lock file.
const installs = "cat > package.json <<'X'\n" + withAPI + "X\necho '{\"packages\": {}}' > package-lock.json\n"

func (p *project) supplied(m *planner) *Result {
	p.Helper()
	o := p.options(m)
	o.Permit = func(*jsproject.Installation) bool { return true }
	return p.run(o, Callbacks{})
}

// TestLockFiles: a lock file is committed with what was installed, if it is the project's and nobody's change.
func TestLockFiles(t *testing.T) {
	world.Slow(t)
	for _, c := range []struct {
		name      string
		files     map[string]string // committed
		then      map[string]string // written afterwards
		installed bool
		commits   string // files of the commit
		status    string
		warns     string
	}{
		{name: "none yet", installed: true, commits: "package-lock.json package.json"},
		{name: "committed", files: map[string]string{"package-lock.json": "{}\n"}, installed: true, commits: "package-lock.json package.json"},
		{name: "ignored", files: map[string]string{".gitignore": "package-lock.json\n"}, installed: true, commits: "package.json"},
		{name: "changed", files: map[string]string{"package-lock.json": "{}\n"}, then: map[string]string{"package-lock.json": "{\"mine\": 1}\n"},
			status: "M package-lock.json", warns: "nothing is installed: package-lock.json: not committed as it is"},
		{name: "not added", then: map[string]string{"package-lock.json": "{\"mine\": 1}\n"}, status: "?? package-lock.json",
			warns: "nothing is installed: package-lock.json: not committed as it is"},
	} {
		npm(t, installs)
		p := newProject(t, 1, map[string]string{"package.json": noAPI})
		for name, text := range c.files {
			p.write(name, text)
		}
		p.git("add", "-A")
		p.git("commit", "-q", "--allow-empty", "-m", "more")
		for name, text := range c.then {
			p.write(name, text)
		}
		r := p.supplied(&planner{})
		log := strings.Join(strings.Fields(p.git("log", "--format=", "--name-only", "--grep=what the spans need")), " ")
		if r.Succeeded != 1 || len(r.LibrariesInstalled) > 0 != c.installed || log != c.commits || p.git("status", "--porcelain") != c.status ||
			!strings.Contains(strings.Join(r.Warnings, "\n"), c.warns) {
			t.Errorf("%s: installed %v, committed %q, status %q, %q", c.name, r.LibrariesInstalled, log, p.git("status", "--porcelain"), r.Warnings)
		}
		for name, text := range c.then {
			if p.read(name) != text {
				t.Errorf("%s: %s is %q", c.name, name, p.read(name))
			}
		}
	}
}

// TestALockFileAboveTheProject: in a workspace it lies at the repository's top.
func TestALockFileAboveTheProject(t *testing.T) {
	world.Slow(t)
	npm(t, strings.ReplaceAll(installs, "> package-lock", "> ../package-lock"))
	p := newProject(t, 1, map[string]string{"package.json": noAPI, "package-lock.json": "{}\n"})
	p.write("pkg/keep", "")
	p.git("mv", "src", "telemetry", "package.json", "pkg/")
	p.git("commit", "-q", "-m", "a workspace")
	p.dir = filepath.Join(p.dir, "pkg")
	r := p.supplied(&planner{})
	if log := p.git("log", "--format=", "--name-only", "--grep=what the spans need"); r.Succeeded != 1 || !strings.Contains(log, "package-lock.json") ||
		p.git("status", "--porcelain", "-uno") != "" {
		t.Errorf("%q, status %q, %+v", log, p.git("status", "--porcelain", "-uno"), r.Warnings)
	}
}

// TestPackageJSONChangesBesideThePackageManager: what a person wrote into it stays, and is in no commit.
func TestPackageJSONChangesBesideThePackageManager(t *testing.T) {
	world.Slow(t)
	mine := "sed -i.old 's/\"shop\"/\"mine\"/' package.json && rm package.json.old\n"
	for _, c := range []struct{ name, script, warns string }{
		{"installed", installs + mine, "package.json: somebody changed it while packages were installed: what the spans need is not committed"},
		{"failed", mine + "exit 1\n", "package.json was changed beside it, so it is as it is now"},
	} {
		npm(t, c.script)
		p := newProject(t, 1, map[string]string{"package.json": noAPI})
		r := p.supplied(&planner{})
		if r.Succeeded != 1 || !strings.Contains(p.read("package.json"), `"mine"`) || strings.Contains(p.git("log", "-p", "main.."), `"mine"`) ||
			!strings.Contains(strings.Join(r.Warnings, "\n"), c.warns) {
			t.Errorf("%s: %q\n%s\n%s", c.name, r.Warnings, p.read("package.json"), p.git("log", "-p", "main.."))
		}
	}
}

// TestAFileThatChangesBeforeItsCommit, or in it: the commit says what was proved, or there is none.
func TestAFileThatChangesBeforeItsCommit(t *testing.T) {
	world.Slow(t)
	path, _ := work(0)
	p := newProject(t, 2, nil)
	o := p.options(&planner{})
	o.step = func(kind string) {
		if kind == "written "+path {
			p.write(path, p.read(path)+"// mine\n")
		}
	}
	r := p.run(o, Callbacks{})
	if r.Succeeded != 1 || r.Files[0].Commit != "" || !strings.HasSuffix(p.read(path), "// mine\n") || strings.Contains(p.git("log", "-p", "main.."), "// mine") {
		t.Errorf("%+v\n%s", r.Files[0], p.git("log", "-p", "main.."))
	}
}

// TestAHookThatTellsASecret: it stands in no file of the run, nor in what is pushed.
func TestAHookThatTellsASecret(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	secret := "sk-ant-" + "api03-" + strings.Repeat("aB3dE5", 16)
	p := newProject(t, 1, nil)
	if err := os.WriteFile(filepath.Join(p.dir, ".git", "hooks", "pre-commit"), []byte("#!/bin/sh\necho 'found "+secret+"' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := p.options(&planner{})
	o.Hooks = true
	r := p.run(o, Callbacks{})
	journal, err := os.ReadFile(filepath.Join(p.state, JournalFile))
	if err != nil || !strings.Contains(r.Files[0].Reason, "found") || strings.Contains(r.Files[0].Reason, secret) || strings.Contains(string(journal), secret) {
		t.Errorf("%v %s\n%s", err, r.Files[0].Reason, journal)
	}
}

// TestAHookThatChangesTheFile: what it makes of a file nobody proved, so the commit is undone.
func TestAHookThatChangesTheFile(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 2, nil)
	hook := "#!/bin/sh\ngit diff --cached --name-only | grep -q f0.mjs || exit 0\necho 'launch();' >> src/f0.mjs\ngit add src/f0.mjs\n"
	if err := os.WriteFile(filepath.Join(p.dir, ".git", "hooks", "pre-commit"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	o := p.options(&planner{})
	o.Hooks = true
	r := p.run(o, Callbacks{})
	path, original := work(0)
	if r.Succeeded != 1 || r.Files[0].Commit != "" || p.git("show", "HEAD:"+path)+"\n" != original || strings.Contains(p.git("log", "-p", "main.."), "launch") {
		t.Errorf("%+v\n%s", r.Files[0].FileResult, p.git("log", "-p", "main.."))
	}
	if p.git("status", "--porcelain") != "" || p.read(path) != original {
		t.Errorf("status %q\n%s", p.git("status", "--porcelain"), p.read(path))
	}
}

// TestAbortBesideThePackageManager: what it changed before a kill does not follow to the branch before the run, and what a
// person changed beside it does.
func TestAbortBesideThePackageManager(t *testing.T) {
	world.Slow(t)
	for _, mine := range []bool{false, true} {
		npm(t, installs)
		p := newProject(t, 1, map[string]string{"package.json": noAPI, "package-lock.json": "{}\n"})
		o := p.options(&planner{})
		o.Permit = func(*jsproject.Installation) bool { return true }
		o.step = func(kind string) {
			if kind == "supplied" {
				panic(kind)
			}
		}
		func() {
			defer func() { _ = recover() }()
			p.run(o, Callbacks{})
		}()
		if p.git("status", "--porcelain") != "M package-lock.json\n M package.json" {
			t.Fatal(p.git("status", "--porcelain"))
		}
		if mine {
			p.write("package.json", strings.Replace(p.read("package.json"), `"shop"`, `"mine"`, 1))
		}
		on, err := End(t.Context(), p.options(nil))
		status := p.git("status", "--porcelain")
		if err != nil || on != "main" || (status == "") == mine || mine && !strings.Contains(p.read("package.json"), `"mine"`) {
			t.Errorf("%v: on %s, %v, status %q\n%s", mine, on, err, status, p.read("package.json"))
		}
	}
}
