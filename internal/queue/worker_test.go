package queue_test

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/queue"
	"aburn/logfmt"
)

// The tests of crashes and of writers at once use real processes: this test's own executable, which does one kind of work
// on the queue of a folder. What it prints has happened.

func TestMain(m *testing.M) {
	if what := os.Getenv("QUEUE_WORK"); what != "" {
		work(what)
		return
	}
	os.Exit(m.Run())
}

// job is what a worker does.
type job struct {
	what    string // see work
	dir     string
	session string
	name    string // of what it puts; "" is the session
	at      time.Time
	count   int // how often; 0 = until killed
}

func (j job) command() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "QUEUE_WORK="+j.what, "QUEUE_DIR="+j.dir, "QUEUE_SESSION="+j.session,
		"QUEUE_NAME="+cmp.Or(j.name, j.session),
		"QUEUE_AT="+j.at.Format(time.RFC3339Nano), "QUEUE_COUNT="+strconv.Itoa(j.count))
	return cmd
}

// worker is a worker's side of a job.
type worker struct {
	*queue.Queue
	session string
	now     time.Time
	say     func(words string)
}

func work(what string) {
	root, err := os.OpenRoot(os.Getenv("QUEUE_DIR"))
	if err != nil {
		panic(err)
	}
	w := worker{Queue: queue.New(root, key()), session: os.Getenv("QUEUE_SESSION")}
	w.say = func(words string) { os.Stdout.WriteString(words + "\n") }
	if w.now, err = time.Parse(time.RFC3339Nano, os.Getenv("QUEUE_AT")); err != nil {
		panic(err)
	}
	count, _ := strconv.Atoi(os.Getenv("QUEUE_COUNT"))
	ready()
	for i := 0; i < count || count == 0; i++ {
		switch what {
		case "deliver":
			w.deliver()
		case "put":
			w.put(fmt.Sprintf("%s.%d", os.Getenv("QUEUE_NAME"), i))
		case "drop":
			w.desk(func(d *queue.Desk) string { d.Drop("a", "resolved", w.now); return "dropped" })
		case "expire":
			w.desk(func(d *queue.Desk) string { return "expired " + ids(d.Expire(w.now)) })
		case "allow":
			w.desk(func(d *queue.Desk) string {
				return fmt.Sprint("allowed ", d.Allow("theirs", logfmt.SessionID(w.session), time.Time{}, w.now))
			})
		case "hold":
			if d, err := w.Lock(time.Minute); err == nil {
				w.say("holding")
				bufio.NewReader(os.Stdin).ReadByte()
				d.Close()
			}
		}
	}
}

// ready tells a tracer that the work begins.
var ready = func() {}

// desk does something under the lock and says it when it is done.
func (w *worker) desk(do func(d *queue.Desk) string) {
	d, err := w.Lock(time.Minute)
	if err != nil {
		w.say("error " + err.Error())
		return
	}
	words := do(d)
	if err := d.Close(); err != nil {
		words = "error " + err.Error()
	}
	w.say(words)
}

// deliver is what a hook does at a prompt: claim, print, acknowledge.
func (w *worker) deliver() {
	who := claimant(w.session)
	if ok, err := w.Waiting(who, w.now); !ok || err != nil {
		return
	}
	d, err := w.Lock(time.Minute)
	if err != nil {
		return
	}
	_, used, _ := queue.Compose(d.Claim(who, w.now), 0)
	if d.Close() != nil || len(used) == 0 {
		return
	}
	w.say("told " + ids(used))
	if d, err = w.Lock(time.Minute); err == nil {
		d.Receipt(strings.Fields(ids(used)), w.now)
		d.Close()
	}
}

// put puts a task for the session, and says its id when it is on the disk.
func (w *worker) put(id string) {
	w.desk(func(d *queue.Desk) string {
		r, err := d.Put(forSession(id, w.session), time.Minute, w.now)
		if err != nil || !r.Added {
			return fmt.Sprint("not put ", r.Reason, err)
		}
		return "put " + id
	})
}

// deliver is a delivery in this process, and what it told.
func (b *bench) deliver(session string, at time.Time) (told string) {
	w := worker{Queue: b.Queue, session: session, now: at, say: func(words string) { told += words + "\n" }}
	w.deliver()
	return told
}
