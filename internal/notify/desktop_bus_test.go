//go:build unix && !darwin

package notify

import (
	"bufio"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"aburn/internal/lab/world"
)

// bus starts a bus of the test's own and returns the environment that names it.
func bus(t *testing.T) func(string) string {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("there is no dbus-daemon here")
	}
	cmd := exec.Command(daemon, "--session", "--nofork", "--nopidfile", "--print-address",
		"--address=unix:path="+filepath.Join(t.TempDir(), "bus"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return env("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
}

func env(name, value string) func(string) string {
	return func(n string) string {
		if n == name {
			return value
		}
		return ""
	}
}

// desk is a desktop's service.
type desk struct {
	markup bool
	held   chan struct{} // Notify does not answer until it is closed
	shown  chan string   // urgency, title and text of each bubble
}

func (d *desk) GetCapabilities() ([]string, *dbus.Error) {
	if d.markup {
		return []string{"body", "body-markup"}, nil
	}
	return []string{"body"}, nil
}

func (d *desk) Notify(app string, replaces uint32, icon, title, text string, actions []string, hints map[string]dbus.Variant, expire int32) (uint32,
	*dbus.Error) {
	if d.held != nil {
		<-d.held
	}
	d.shown <- app + " " + hints["urgency"].String() + " " + title + ": " + text
	return 1, nil
}

// serve puts the service on a bus.
func (d *desk) serve(t *testing.T, env func(string) string) {
	t.Helper()
	d.shown = make(chan string, 100)
	conn, err := dbus.Connect(env("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.Export(d, busPath, busName); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(busName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
}

func (d *desk) wants(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-d.shown:
		if got != want {
			t.Errorf("shown: %s\nwant:  %s", got, want)
		}
	case <-time.After(soon):
		t.Fatalf("not shown: %s", want)
	}
}

func TestDesktop(t *testing.T) {
	for _, markup := range []bool{false, true} {
		env, r, d := bus(t), newReports(), &desk{markup: markup}
		d.serve(t, env)
		n := New(Options{Desktop: true, Env: env, Report: r.add, Timeout: soon})
		n.Tell(Notice{Key: "a", Title: "stuck", Text: "RED for 12 min, <b>14</b> & more", Urgent: true})
		want := "RED for 12 min, <b>14</b> & more"
		if markup {
			want = "RED for 12 min, &lt;b&gt;14&lt;/b&gt; &amp; more"
		}
		d.wants(t, "aburn @y 0x2 stuck: "+want)
		n.Tell(Notice{Key: "b", Title: "waits", Text: "for you"})
		d.wants(t, "aburn @y 0x1 waits: for you")
		n.Close(soon)
		if len(r.all()) != 0 {
			t.Errorf("reported %q", r.all())
		}
	}
}

// Twenty issues at once are four bubbles.
func TestDesktopStorm(t *testing.T) {
	env, d := bus(t), &desk{held: make(chan struct{})}
	d.serve(t, env)
	n := New(Options{Desktop: true, Env: env, Timeout: time.Minute})
	n.Tell(Notice{Key: "first", Title: "first"})
	for len(n.channels[0].waiting) > 0 { // it is being shown
		time.Sleep(time.Millisecond)
	}
	for _, key := range strings.Split("abcdefghijklmnopqrst", "") {
		n.Tell(Notice{Key: key, Title: key, Urgent: key == "q"})
	}
	close(d.held)
	n.Close(soon)
	for _, want := range []string{"1 first: ", "2 q: ", "1 a: ", "1 b: ", "1 aburn: 17 more: aburn supervisor shows them all"} {
		d.wants(t, "aburn @y 0x"+want)
	}
	if len(d.shown) != 0 {
		t.Errorf("shown too: %s", <-d.shown)
	}
}

// A desktop that comes back is used again.
func TestDesktopFailures(t *testing.T) {
	world.Slow(t)
	deaf := filepath.Join(t.TempDir(), "bus") // accepts and says nothing
	listener, err := net.Listen("unix", deaf)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	held := &desk{held: make(chan struct{})}
	hanging := bus(t)
	held.serve(t, hanging)
	defer close(held.held)
	for name, c := range map[string]struct {
		env  func(string) string
		want string
	}{
		"no environment":  {nil, "no desktop session"},
		"no bus":          {env("", ""), "no desktop session"},
		"bus is gone":     {env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus"), "/nowhere/bus"},
		"network":         {env("DBUS_SESSION_BUS_ADDRESS", "tcp:host=localhost,port=1"), "no desktop session"},
		"a program":       {env("DBUS_SESSION_BUS_ADDRESS", "unixexec:path=/bin/true"), "no desktop session"},
		"autolaunch":      {env("DBUS_SESSION_BUS_ADDRESS", "autolaunch:"), "no desktop session"},
		"nobody shows":    {bus(t), busName},
		"deaf":            {env("XDG_RUNTIME_DIR", filepath.Dir(deaf)), "did not answer in time"},
		"desktop hangs":   {hanging, "did not answer in time"},
		"relative folder": {env("XDG_RUNTIME_DIR", "."), "no desktop session"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReports()
			o := Options{Desktop: true, Env: c.env, Report: r.add, Timeout: soon}
			if c.want == "did not answer in time" {
				o.Timeout = 300 * time.Millisecond
			}
			n := New(o)
			n.Tell(Notice{Key: "a", Title: "a"})
			within(t, "the report", r.came)
			n.Tell(Notice{Key: "b", Title: "b"})
			n.Close(soon)
			if got := r.all(); len(got) != 1 || !strings.HasPrefix(got[0], "notify.desktop: ") || !strings.Contains(got[0], c.want) {
				t.Errorf("reported %q, want %q once", got, c.want)
			}
		})
	}
}
