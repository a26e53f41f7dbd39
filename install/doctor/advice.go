package doctor

import (
	"fmt"

	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/internal/settings"
)

// advice looks at what keeps advice from reaching the agents. Nothing of it keeps a hook from recording.
func (e *exam) advice(set settings.Settings) {
	oss, err := e.p.OpenOss()
	if err != nil {
		return // log says it
	}
	defer oss.Close()
	key, err := e.p.Key()
	if err != nil || !e.p.Marked {
		key = nil
	}
	q := queue.New(oss, key)
	f, err := q.Read()
	if err != nil {
		e.add("advice", Note, fmt.Sprintf("nothing in %s/%s is delivered: %v", project.OssDir, queue.Name, err), "aburn queue list")
		return
	}
	if foreign := foreignTasks(q, f); foreign > 0 && e.p.Marked && !set.Queue.Foreign {
		e.add("advice", Note, fmt.Sprintf("tasks that aburn did not sign wait for your word in %s/%s (%d)", project.OssDir, queue.Name, foreign), "aburn queue list")
	}
}

// foreignTasks counts the tasks that would be delivered if they were signed.
func foreignTasks(q *queue.Queue, f queue.File) (n int) {
	for _, t := range f.Tasks {
		if t.Status == queue.Pending && !q.Ours(t) {
			n++
		}
	}
	return n
}
