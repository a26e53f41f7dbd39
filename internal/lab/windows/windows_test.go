package windows

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// built is the folder in which run.sh built the executables; "" without run.sh.
var built = os.Getenv("ABURN_WINDOWS")

// native says that this is a real Windows: programs need no Wine.
const native = runtime.GOOS == "windows"

// TestMain makes a Windows of its own, which takes about 15 s, and ends its services.
func TestMain(m *testing.M) {
	if built == "" || native {
		os.Exit(m.Run())
	}
	os.Setenv("WINEPREFIX", filepath.Join(built, "prefix"))
	os.Setenv("WINEARCH", "win64")
	os.Setenv("WINEDEBUG", "-all")
	os.Setenv("XDG_RUNTIME_DIR", built) // or Wine complains on every start
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	err := exec.CommandContext(ctx, "wine", "cmd", "/c", "exit").Run()
	cancel()
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, "wine does not start:", err)
	}
	exec.Command("wineserver", "-k").Run()
	os.Exit(code)
}

func needsWine(t *testing.T) {
	t.Helper()
	if built == "" {
		t.Skip("needs Wine: make test-windows")
	}
}

// ran is what a program said and how it ended.
type ran struct {
	out, err string
	code     int
}

// wine runs a program in dir. Its output goes to files: Wine's services inherit a pipe, and never close it.
func wine(t *testing.T, dir, stdin string, limit time.Duration, env []string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	folder := t.TempDir()
	open := func(name string) *os.File {
		f, err := os.OpenFile(filepath.Join(folder, name), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	in := open("in")
	if _, err := in.WriteString(stdin); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	if !native {
		args = append([]string{"wine"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, open("out"), open("err")
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%v: %v", args, err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(data), "\r\n", "\n")
	}
	r := ran{read("out"), read("err"), cmd.ProcessState.ExitCode()}
	if ctx.Err() != nil {
		t.Errorf("%v did not end within %s", args, limit)
	}
	return r
}

// TestPackages runs the short tests of packages as Windows executables, in the folder of the package.
func TestPackages(t *testing.T) {
	needsWine(t)
	if native {
		t.Skip("go test does this here")
	}
	list, err := os.Open(filepath.Join(built, "packages"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		name, file, _ := strings.Cut(lines.Text(), " ")
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(os.Getenv("ABURN_REPO"), filepath.FromSlash(name))
			r := wine(t, dir, "", 8*time.Minute, nil, filepath.Join(built, "tests", file), "-test.short", "-test.v")
			t.Log(counts(r.out))
			if r.code != 0 {
				t.Errorf("exit %d\n%s%s", r.code, failures(r.out), r.err)
			}
		})
	}
}

// counts says how many tests passed and failed, and why others skipped.
func counts(out string) string {
	passed, failed := 0, 0
	var skipped []string
	said, test := map[string]string{}, "" // the last line that each test has logged
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		switch words := strings.Fields(line); {
		case len(words) == 3 && words[0] == "===":
			test = words[2]
		case strings.HasPrefix(line, "--- PASS"):
			passed++
		case strings.HasPrefix(line, "--- FAIL"):
			failed++
		case strings.HasPrefix(line, "--- SKIP"):
			_, reason, _ := strings.Cut(said[words[2]], ": ")
			skipped = append(skipped, words[2]+": "+reason)
		default:
			said[test] = line
		}
	}
	return fmt.Sprintf("%d passed, %d failed, %d skipped\n%s", passed, failed, len(skipped), strings.Join(skipped, "\n"))
}

// failures is the output without what passed.
func failures(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if trimmed := strings.TrimSpace(line); !strings.HasPrefix(trimmed, "--- PASS") && !strings.HasPrefix(trimmed, "=== ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
