package pages

import "aburn/web/excerpt"

// Board is the workers of all projects, by whose turn it is.
type Board struct {
	Zones    []Zone
	Count    int    // workers, of all projects
	Shown    int    // of them, as far as the filter takes them
	Projects Choice // whose workers stand in the zones; no links if only one project has any
	Notes    []Note
	Compact  bool // cards say only what one has to know
	Act      bool // workers can be ticked, for what all of them get
	Filters  []Select
	Hidden   []Pair // what else the filters' form sends
	Words    string
	Open     bool // a filter is on
	Cards    Link // to the other kind of cards
}

// Zone is a column of the board.
type Zone struct {
	ID, Name string
	Says     string
	Workers  []Worker
}

// Worker is a card of the board.
type Worker struct {
	ID       string // unique on the page
	Mark     string
	Class    string // asks, stuck, works, review, ready, idle
	Name     string
	Href     string
	Project  string
	Status   string
	Words    string // its state, with the reason
	Since    string // the time since when
	SinceMS  int64  // the same in milliseconds since 1970, 0 if unknown
	Task     string
	Agent    string
	Via      string // where its agent runs
	Branch   string
	Stat     string // what it changed
	Key      string // of its project, for buttons
	Pull     Pull
	Cost     Figure
	Clash    string // with whom it changed the same files
	Conflict bool   // and that does not merge
	Needs    bool   // it waits for the reader
	What     string // what is asked, in words
	Quoted   string // what it is about
	Says     string // what the agent said itself
	Doing    string // its newest entry
	Proof    string
	Also     []string // what the supervisor says is wrong
	Remarks  []string
	Asks     []Question
}

// Pull is a worker's pull request; nothing without a number.
type Pull struct {
	Number string // #31
	URL    string // "" if it is no address that may be opened
	Says   string
	Failed []string // names of the checks that failed
}

// Question is something that an agent without a terminal asks.
type Question struct{ ID, What string }

// WorkerPage is one worker.
type WorkerPage struct {
	Project, Name string // as its address names them
	Crumbs        []Link
	Parts         Choice // of its page
	Worker        Worker
	Facts         []Pair
	Asks          []Question
	Acts          []Act
	CanSend       bool
	Only          Choice
	Why           []Line
	Lines         []Line
	More          bool
	Issues        []Finding
	Pull          []Pair // what is known of its pull request
	Forge         []Line // what the forge said, and what followed
	Messages      []Letter
	Snapshots     []Snapshot
	Copy          []Copy
}

// Projects is the page of all projects.
type Projects struct {
	List  []ProjectRow
	Heads []Head
	Note  string // whose bill it is
}

// ProjectRow is one that the reader trusts.
type ProjectRow struct {
	Name, Root string
	Href       string // of its sessions
	Problem    string // why it cannot be looked at, or that it is gone
	Waiting    int
	Stuck      int
	Living     int    // sessions that live, those of workers too
	Workers    []Link // how many are in each zone
	Sessions   Figure
	Money      Figure // of all its sessions
	Last       Time   // the end of its newest session
}

// Act is a button of a worker's page.
type Act struct{ Do, Label string }

// Finding is an issue of the supervisor's.
type Finding struct{ Word, Says, Suggest, Proof string }

// Letter is a message to a worker.
type Letter struct {
	Time Time
	From string
	How  string
	Open bool
	Text string
	ID   string
}

// Snapshot is a kept state of a worker's tree.
type Snapshot struct {
	Number  int
	Time    Time
	Changed string
	Commit  string
	Remark  string
	Copy    []Copy
}

// WorkerDiff is what a worker changed.
type WorkerDiff struct {
	Project, Name string
	Crumbs        []Link
	Parts         Choice
	From          string // what it is the difference of, if not of its tree
	Stat          string
	Files         []ChangedFile
	Rest          string // what is left out
}

// ChangedFile is the patch of one file.
type ChangedFile struct {
	ID, Path string
	Blocks   []excerpt.Block
}

// WorkerStory is what was said with an agent without a terminal.
type WorkerStory struct {
	Project, Name string
	Crumbs        []Link
	Parts         Choice
	Worker        Worker
	Passages      []Passage
	More          bool
	Errors        string
	Acts          []Act
	Asks          []Question
	CanSend       bool
}

// Passage is a piece of a conversation.
type Passage struct {
	Time  Time
	Who   string // person, agent, tool, result, asks, note
	Sign  string
	Text  string
	Quiet bool
}

// Terminal is a worker's terminal.
type Terminal struct {
	Project, Name string
	Crumbs        []Link
	Parts         Choice
	Worker        Worker
	Socket        string // where it is; "" if it cannot be shown
	Text          string // what it shows now, for who has no script
	Note          string // why it cannot be shown
	CanType       bool
}
