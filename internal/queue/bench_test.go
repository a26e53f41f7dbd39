package queue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/internal/queue"
)

// fifty is a full queue of tasks of other sessions, of the size that advice has.
func fifty(b *bench) {
	for i := range queue.MaxOpen {
		task := forSession(fmt.Sprint("t", i), fmt.Sprintf("5b0c2f91-0000-4000-8000-%012d", i))
		task.Prompt = fmt.Sprintf("phase RED of build is open for 12 min without progress (entries %d-%d).\n", i, i+40) +
			strings.Repeat("What the log shows in words. ", 12)
		task.Context = []byte(`{"cmd":"build","phase":"RED","confidence":0.94,"healthy":"a failing test within 10 minutes"}`)
		task.Evidence = []uint64{1204, 1207, 1210, 1233}
		b.put(task, noon())
	}
}

// BenchmarkWaiting is what a full queue costs a hook of a session that nothing waits for.
func BenchmarkWaiting(t *testing.B) {
	b := onBench(t, "")
	fifty(b)
	t.SetBytes(int64(len(b.text(queue.Name))))
	t.ReportAllocs()
	for t.Loop() {
		if ok, err := b.Waiting(claimant("5b0c2f91-0000-4000-8000-00000000ffff"), noon()); ok || err != nil {
			t.Fatal(ok, err)
		}
	}
}

// BenchmarkNoFile is what no queue costs.
func BenchmarkNoFile(t *testing.B) {
	b := onBench(t, "")
	for t.Loop() {
		b.Waiting(claimant("s1"), noon())
	}
}

func BenchmarkRead(t *testing.B) {
	b := onBench(t, "")
	fifty(b)
	for t.Loop() {
		if f, err := b.Read(); len(f.Tasks) != queue.MaxOpen || err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkDeliver is a delivery out of a full queue, both times under the lock.
func BenchmarkDeliver(t *testing.B) {
	b := onBench(t, "")
	fifty(b)
	text := b.text(queue.Name)
	for t.Loop() {
		b.write(queue.Name, text)
		if b.deliver("5b0c2f91-0000-4000-8000-000000000007", noon()) == "" {
			t.Fatal("nothing was told")
		}
	}
}

// BenchmarkPut is a synced Put of a signature that is new.
func BenchmarkPut(t *testing.B) {
	b := onBench(t, "")
	i := 0
	for t.Loop() {
		i++
		b.put(forSession(fmt.Sprint(i), "s1"), noon().Add(time.Duration(i)*time.Second))
	}
}
