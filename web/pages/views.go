package pages

import "aburn/web/excerpt"

// Time is a moment: as text in the reader's zone, and exactly.
type Time struct{ Text, Exact string }

// Outcome is how a session ended, as symbol and word.
type Outcome struct{ Mark, Word, Class string }

// Now is what waits for the reader, what is stuck, what works, and what ended today.
type Now struct {
	Board                  Board
	Waiting, Stuck, Living []Card
	Hooked                 bool // a project is trusted, so that what waits is known
	Ended                  Rows
	MoreEnded              Link
	Today                  []Figure
	Archive                []Note
}

// Card is a session that waits or lives.
type Card struct {
	ID      string // unique on the page
	Mark    string
	Class   string // asks, stuck, works, idle
	Title   string
	Href    string
	Where   string // project, branch, agent
	Cost    Figure
	Says    string   // waits, works
	Since   string   // the time since when it does
	SinceMS int64    // the same in milliseconds since 1970, 0 if unknown
	What    string   // in words, what is asked or wrong
	Quoted  string   // what it is about: a command, a question
	Also    []string // what else is wrong in the session
	Proof   string
	Turn    *Lanes // the newest calls, in one lane; nil for none
	Copy    []Copy
}

// Copy is a text that a button copies.
type Copy struct{ Label, Text string }

// Row is a line of a list of sessions.
type Row struct {
	Href      string
	Ended     Time
	Outcome   Outcome
	Sign      string // a sub-agent, a fork, no longer on the disk
	SignWord  string
	Unseen    bool // it has grown since the reader looked at it
	Ask       string
	Project   Link
	Agent     string
	Active    string
	Failed    Figure
	Subagents Figure
	Cost      Figure
}

// Sessions is a part of the list of sessions.
type Sessions struct {
	Choices []Choice
	Filters []Select
	Hidden  []Field // what else the search has to carry on
	Chosen  []Link  // filters that are set; each leads to the list without it
	Count   Figure
	Figures []Figure
	Rows    Rows
	Newer   string // address of the part before, "" if this is the first
	Older   string
	Kind    string // what a row is: session, session or sub-agent
	Others  bool   // there are sessions that the list could have
}

// Select is a filter with a list of values.
type Select struct {
	Name, Label string
	Options     []Option
}

type Option struct {
	Value, Text string
	Current     bool
}

// Field is a parameter of an address.
type Field struct{ Name, Value string }

// Session is one session.
type Session struct {
	Crumbs  []Link
	Name    string
	Agent   string
	When    string
	Branch  string
	Outcome Outcome
	Why     string
	Proof   []Link // the events that prove the outcome
	Tiles   []Figure
	Lanes   *Lanes
	Only    Choice
	Texts   Choice // whether texts are shown
	Find    *Find
	Notes   []Note // about the texts
	Lines   []Line
	Earlier string // address of the lines before, "" if there are none
	Later   string
	Range   string
	Gone    string // why the agent's own file is not there any more
	Hooks   string // what hooks know beside
	Error   *MainError
	Files   []FileChange
	More    int // files that are left out
	Family  []Relative
	Kinds   []Pair // cost by kind of token
	Prices  string
	Copy    []Copy
	Live    bool
	Seen    Seen
}

// Seen names a session and says how many events the page knows of, for what the reader has seen.
type Seen struct {
	Session string
	Events  int
}

// Line is one line of a session's story.
type Line struct {
	Number int // of the event; 0 if only hooks know it
	Href   string
	Time   Time
	Day    string // set where a new day begins
	Where  string // set where copied or rewound events begin or end
	New    bool   // the first one that the reader has not seen
	Mark   string
	Word   string // what the mark means
	Class  string
	Kind   string // prompt, failed, or ""
	Name   string
	Took   string
	Path   string
	Detail string
	Indent bool
	Link   Link // of a sub-agent
	Texts  []Text
}

// Text is a text of an event, from the agent's own file.
type Text struct {
	Name   string // input, output; "" where the line says it
	Quiet  bool   // thinking, and what programs said
	Note   string // why there is none
	Blocks []excerpt.Block
	Whole  Link // the page with all of it
}

// Find is the field that searches one session.
type Find struct{ Session, Query string }

// Search is what was found: first lines, which the archive has, and then texts inside conversations, while they are looked through.
type Search struct {
	Query   string
	Choices []Choice
	Chosen  []Link
	Note    string // why nothing was searched for
	Lines   SearchPart
	Inside  <-chan SearchHit // nil if conversations are not searched
	Stop    string           // names the search, for the button that stops it
	Summary func() SearchEnd // once Inside is closed
	Flush   func() string    // sends what was written
}

// SearchPart is the sessions in which something was found.
type SearchPart struct {
	Says string
	Hits []SearchHit
	More Link
}

// SearchHit is a session in which something was found.
type SearchHit struct {
	Href, Title    string
	Project, Agent string
	When           Time
	Outcome        Outcome
	Found          []Snippet
	More           string
}

// Snippet is what surrounds the words that were found.
type Snippet struct {
	Href, Word string
	Parts      []SnippetPart
}

// SnippetPart is a piece of a text; Mark says that it was searched for.
type SnippetPart struct {
	Text string
	Mark bool
}

// SearchEnd is how a search of conversations ended.
type SearchEnd struct {
	Says string
	More Link
}

// Event is one event of a session, with all of its texts.
type Event struct {
	Crumbs       []Link
	Line         Line
	Range        string // which part of the text
	Earlier      string
	Later        string
	Record       []excerpt.Block
	RecordNote   string
	Before, Next Link
	Copy         []Copy
}

// MainError is the session's main error.
type MainError struct {
	Text, Class, Key string
	At, Others       Link
}

type FileChange struct {
	Path           string
	Href           string
	Added, Removed string
}

// Relative is a session that this one belongs to.
type Relative struct {
	Sign, Word string
	Link       Link
	Detail     string
	Cost       Figure
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Cost is what answers cost.
type Cost struct {
	Choices []Choice
	Filters []Select
	Hidden  []Field
	Chosen  []Link
	Tiles   []Figure
	Note    string
	Plot    *Plot
	Tables  []CostTable
	Wrong   []Figure
	Budgets []Note
	Limits  []Note
	Prices  []Note
}

// CostTable is one way of grouping.
type CostTable struct {
	ID, Title string
	Heads     []Head
	Rows      []CostRow
	All       CostRow
	Share     bool // with bars
	Tokens    bool // with tokens by kind
	Wide      bool // the first column is a text
	More      Link
}

type CostRow struct {
	Link                         Link
	Chip                         string
	Share                        int // of 1000
	Percent                      string
	Class                        string
	Sessions                     Figure
	Input, Read, Written, Output string
	Cost                         Figure
	Note                         string
}

// Failures is what fails most.
type Failures struct {
	Choices        []Choice
	Filters        []Select
	Hidden         []Field
	Chosen         []Link
	Tiles          []Figure
	Weeks          *Plot
	Errors, Groups FailureTable
}

// FailureTable is main errors, or failure groups.
type FailureTable struct {
	ID     string
	Heads  []Head
	Rows   []FailureRow
	Solved bool // with a column of those that were solved later
	More   Link
}

// FailureRow is one main error or one failure group.
type FailureRow struct {
	Href     string
	Text     string
	Verbatim bool // Text is what a tool or agent said
	Key      string
	Class    string
	Count    Figure
	Failed   Figure
	Solved   Figure
	Cost     Figure
	Last     Time
	Spark    *Plot
}

// Failure is one of them, with its sessions.
type Failure struct {
	Kind   string // main error, failure group
	Key    string
	Text   string
	Quoted string
	Tiles  []Figure
	Weeks  *Plot
	Rows   Rows
	Older  string
	Newer  string
	Copy   []Copy
	Solved Rows
}

// Health is how aburn itself is.
type Health struct {
	Machine  []Check // what is the same in all projects
	Projects []Project
	Gone     []Project // whose folder is not there
	Archive  []Pair
	Sources  []Source
	Damage   []Pair
	Damaged  Figure
	Prices   []Pair
	Unpriced []Pair
	Checked  string // when the checks were made
}

// Project is a project with the checks of aburn doctor.
type Project struct {
	Name, Root string
	Sessions   Figure
	Checks     []Check
	Problem    string
}

// Check is one finding. Status is ok, note or bad.
type Check struct {
	Topic, Status, Text string
	Hints               []string
}

// Source is the sessions of one agent.
type Source struct {
	Name     string
	Sessions Figure
	Latest   Time
	Gone     Figure
}

// Head is the head of a column. Href sorts the table by it; "" if the column has no order.
type Head struct {
	Text, Class, Href string
	Order             string // ascending or descending if the table is sorted by it
	Bars              bool   // the column has bars, which have no words
}

// Rows is a table of sessions.
type Rows struct {
	Heads []Head
	List  []Row
}
