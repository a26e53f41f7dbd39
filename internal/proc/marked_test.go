package proc

import (
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// A name is found where it is a whole one, and nowhere in a value or at the end of another name.
func TestValueOf(t *testing.T) {
	for env, want := range map[string]string{
		"":                          "-",
		"A=1\x00MARK=x\x00B=2\x00":  "x",
		"MARK=x\x00":                "x",
		"MARK=\x00":                 "",
		"MARK=cut":                  "cut",
		"NO_MARK=x\x00":             "-",
		"A=MARK=x\x00":              "-",
		"A=b MARK=x\x00MARK=y\x00":  "y",
		"NO_MARK=x\x00MARK=y=z\x00": "y=z",
		"\x00\x00\x00\x00":          "-",
	} {
		got, ok := valueOf([]byte(env), []byte("MARK="))
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", env, got, want)
		}
	}
}

// What macOS gives of a process: the layout of its kernel's sysctl_procargsx. Cut anywhere, it leads nowhere else.
func TestArgsIn(t *testing.T) {
	data := binary.NativeEndian.AppendUint32(nil, 3)
	data = append(data, "/bin/sleep\x00\x00\x00\x00sleep\x00\x00600\x00MARK=x\x00HOME=/h\x00\x00executable_path=/bin/sleep\x00"...)
	if argv, env := argsIn(data); string(env) != "MARK=x\x00HOME=/h\x00" || !slices.Equal(argv, []string{"sleep", "", "600"}) {
		t.Errorf("%q %q", argv, env)
	}
	for n := range data {
		argsIn(data[:n])
	}
	for _, n := range []uint32{1 << 31, 1 << 30} {
		binary.NativeEndian.PutUint32(data, n)
		if _, env := argsIn(data); n == 1<<30 && len(env) > 0 {
			t.Errorf("%q", env)
		}
	}
}

// A process is found by what it was started with, and so is one that it started. One without the variable is not.
func TestCarriers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("system programs show their environment on Linux only")
	}
	value := "test/" + strconv.Itoa(os.Getpid())
	for i, env := range [][]string{{"CARRIED=" + value}, {"CARRIED=" + value + "0"}, {"NOT_CARRIED=" + value}} {
		cmd := exec.Command("sleep", "600")
		cmd.Env = env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		want := i == 0
		for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			found := false
			for _, c := range Carriers("CARRIED") {
				found = found || c.PID == cmd.Process.Pid && c.Value == value && c.Name == "sleep" && c.Parent == os.Getpid() && c.Start > 0 && c.Dir != ""
			}
			if found == want && (want || Environ(cmd.Process.Pid, "CARRIED") != value) {
				break
			}
			if time.Now().After(until) {
				t.Fatalf("%v: found %v", env, found)
			}
		}
	}
}

// A process's session is its leader's number. (Of one whose leader is outside of a container it is 0.)
func TestRelatives(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("setsid is a program of Linux")
	}
	cmd := exec.Command("setsid", "sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	leads := func(r Relative) bool {
		return r.PID == cmd.Process.Pid && r.Session == r.PID && r.Parent == os.Getpid()
	}
	for until := time.Now().Add(time.Minute); !slices.ContainsFunc(Relatives(), leads); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("not found: %+v", Relatives())
		}
	}
}
