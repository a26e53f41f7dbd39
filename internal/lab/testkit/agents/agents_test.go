package agents

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("ABURN_TEST_INSIDE") == "" {
		os.Exit(m.Run())
	}
	if code, done, err := Isolate("ABURN_TEST_EXTRA=extra"); done || err != nil {
		if err != nil {
			fmt.Println(err)
		}
		os.Exit(code)
	}
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		fmt.Println(i.Name, i.Flags&net.FlagUp != 0, os.Getenv("ABURN_TEST_EXTRA"))
	}
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		_, err = net.Dial("tcp", l.Addr().String())
		fmt.Println("dial:", err)
	}
	os.Exit(7)
}

func TestIsolateLeavesOnlyLoopback(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("network namespaces need Linux and root")
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "ABURN_TEST_INSIDE=1")
	out, err := command.Output()
	if want := "lo true extra\ndial: <nil>\n"; string(out) != want || command.ProcessState.ExitCode() != 7 {
		t.Errorf("inside: %q, %v; want %q and exit 7", out, err, want)
	}
}

// fakeNpm is an npm that makes the files which the pinned packages would make, and counts its runs.
const fakeNpm = `#!/bin/sh
echo run >> "$(dirname "$0")/runs"
while [ $# -gt 0 ]; do
	case $1 in
	--prefix) shift; dir=$1 ;;
	@anthropic-ai/claude-code-*) exe=@anthropic-ai/${1#@anthropic-ai/}; exe=${exe%@*}/claude; say="VERSION (Claude Code)" ;;
	opencode-*) exe=${1%@*}/bin/opencode; say=VERSION ;;
	@openai/codex@*) exe=@openai/codex-PLATFORM/vendor/triple/bin/codex; say="codex-cli VERSION" ;;
	esac
	version=${1##*@}
	shift
done
version=${VERSION:-$version}
mkdir -p "$dir/node_modules/$(dirname "$exe")"
printf '#!/bin/sh\necho "%s"\n' "$(echo "$say" | sed "s/VERSION/$version/")" > "$dir/node_modules/$exe"
chmod +x "$dir/node_modules/$exe"
`

func TestInstall(t *testing.T) {
	if _, _, err := pins(t.Context()); err != nil {
		t.Skip(err)
	}
	bin, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	platform := strings.NewReplacer("PLATFORM", runtime.GOOS+"-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1))
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(platform.Replace(fakeNpm)), 0o755); err != nil {
		t.Fatal(err)
	}
	install := func() (Client, Client, error) { return Install(t.Context(), cache) }
	runs := func() int {
		data, _ := os.ReadFile(filepath.Join(bin, "runs"))
		return strings.Count(string(data), "run")
	}
	path := os.Getenv("PATH")

	t.Setenv("PATH", t.TempDir())
	if _, _, err := install(); err == nil || !strings.Contains(err.Error(), "npm is not on PATH") {
		t.Errorf("without npm: %v", err)
	}
	t.Setenv("PATH", bin+":"+path)
	t.Setenv("VERSION", "0.0.1")
	if _, _, err := install(); err == nil || !strings.Contains(err.Error(), "want "+ClaudeVersion) {
		t.Errorf("another version than the pinned one: %v", err)
	}
	t.Setenv("VERSION", "")
	before := runs()
	for range 2 { // the second time from the cache
		claude, codex, err := install()
		if err != nil || claude.Version != ClaudeVersion || codex.Version != CodexVersion {
			t.Fatalf("%+v, %+v, %v", claude, codex, err)
		}
	}
	if runs() != before+2 {
		t.Errorf("npm ran %d times for two clients", runs()-before)
	}
	for range 2 {
		if opencode, err := InstallOpencode(t.Context(), cache); err != nil || opencode.Version != OpencodeVersion {
			t.Fatalf("%+v, %v", opencode, err)
		}
	}
	if runs() != before+3 {
		t.Errorf("npm ran %d times for the third client", runs()-before-2)
	}
	left, _ := filepath.Glob(filepath.Join(cache, ".install-*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	// A cache entry that lost its executable is installed again.
	claude, _, _ := install()
	os.Remove(claude.Path)
	if _, _, err := install(); err != nil || runs() != before+4 {
		t.Errorf("after a loss: %v, %d runs", err, runs()-before)
	}
}

func TestEnvInheritsNothing(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "real")
	for _, variable := range append(Env("/h", "/b"), ClaudeEnv("http://127.0.0.1:1")...) {
		if strings.Contains(variable, "real") || strings.HasPrefix(variable, "HOME=") && variable != "HOME=/h" {
			t.Error(variable)
		}
	}
}
