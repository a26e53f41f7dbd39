package settings

import "time"

// Watch is watch.*: how the long-running follower behaves.
type Watch struct {
	Linger time.Duration // watch.linger: how long it stays when nothing lives any more; 0 = until it is stopped
}

// Notify is notify.*, the user's own: how a person is told.
type Notify struct {
	Desktop bool     // notify.desktop
	Bell    bool     // notify.bell: the terminal's
	Command []string // notify.command as a list: a program and its arguments
	Line    string   // notify.command as a text: a line for the shell
	Min     float64  // notify.min: the least confidence that a person is told about
}

// Deliver is deliver.*, the user's own: what an agent is handed beyond the tasks at its prompts.
type Deliver struct {
	AtStop   bool // deliver.at_stop: critical tasks also when it wants to stop
	AgentEnd bool // deliver.agent_end: in one line, at its next prompt, that an agent it spawned has ended
}

// Queue is queue.*, the user's own.
type Queue struct {
	Foreign bool          // queue.foreign: tasks that aburn did not sign are delivered too
	Expires time.Duration // queue.expires: how long a task is worth delivering
}

// Archive is archive.*, the user's own: what becomes of the sessions that agents write to disk.
type Archive struct {
	AtSessionEnd bool // archive.at_session_end: read them when one has ended in a marked project
	Retention    int  // archive.retention: how many days a session is kept after its end; 0 = for ever
}
