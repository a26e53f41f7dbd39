package pages

import (
	"html/template"
	"io"

	"aburn/web"
)

// Graph is a page of its own, outside of aburn web: a session with its forks and sub-agents. It is one file without a script.
type Graph struct {
	Title, Sub string
	Live       Link // the session in aburn web, if that runs on the reader's computer
	Tiles      []GraphTile
	Ends       []string // along the time axis
	Legend     []Part
	Untimed    string // says how many calls are on no lane, "" for none
	Rows       []GraphRow
}

// GraphTile is a sum of the whole tree.
type GraphTile struct{ Name, ID, Text, Class, Tip string }

// GraphRow is a session of the tree.
type GraphRow struct {
	Node, Depth    int
	Href           string
	Source, Name   string
	Session, Agent string
	What           string
	Sign, Relation string
	Class, Word    string // of the outcome
	Why            string
	Began, Ended   string
	Own, Below     GraphSums
	Others         int // sessions below it
	Lane           []Span
	Calls          []GraphCall
}

// GraphSums are the sums of a session, or of it and all below.
type GraphSums struct{ Sessions, Calls, Failed, NoEnd, Tokens, Active string }

// GraphCall is a call of a session.
type GraphCall struct {
	Index                        int
	At, Tool, Kind, State, Class string
	Exit, Took, Size, Text       string
}

// Write writes the whole file.
func (g *Graph) Write(w io.Writer) error {
	style := web.Style() + read("page/page.css")
	return templates().ExecuteTemplate(w, "graph.html", struct {
		*Graph
		Policy string
		Style  template.CSS
	}{g, web.Policy("", style), template.CSS(style)})
}
