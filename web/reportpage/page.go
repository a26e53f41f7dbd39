// Package reportpage shows a report as one self-contained HTML page (package web). The page's own
// script draws the plots; tables repeat every number without a script. It adds nothing up: the
// numbers are the report's.
package reportpage

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"
	"time"

	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/web"
)

//go:embed page
var files embed.FS

// HTML writes the page of a report and of the sessions that it is about. name is the short name of a session.
func HTML(w io.Writer, r *report.Report, units []*insight.Digest, name func(source, id string) string) error {
	page := web.Page{
		Title: "What keeps going wrong", Files: files, Body: "page/page.html", Styles: []string{"page/page.css"},
		Scripts: []string{"page/plot.js", "page/plots.js", "page/sessions.js"},
		Funcs: template.FuncMap{
			"live": web.SessionLink, "word": func(o any) string { return plain.Line(insight.Outcome(fmt.Sprint(o)).Word()) }, "shape": shapeWords,
			"clean": func(s any) string { return plain.Line(fmt.Sprint(s)) }, "count": count, "of": of, "tokens": tokens, "lasting": lasting, "day": day,
			"moment": moment, "place": place, "which": which, "phase": phaseName,
			"pageID": pageID, "folder": folder, "observation": func() string { return remedy.Observation },
		},
		Values: list(r, units, name), Data: plotted(r),
	}
	return page.Write(w)
}

// shapeWords says what a failure group has in common.
func shapeWords(shape string) string {
	return insight.ShapeWords(shape, func(agent string) string { return cmp.Or(agentcli.Of(agent).Title, agent) })
}

// count formats an integer of any type with commas.
func count(n any) string {
	switch n := n.(type) {
	case int:
		return plain.Count(int64(n))
	case int64:
		return plain.Count(n)
	}
	return fmt.Sprint(n)
}

// of formats "n of all", or "-" if all is 0.
func of(n, all any) string {
	if count(all) == "0" {
		return "-"
	}
	return count(n) + " of " + count(all)
}

// tokens formats an amount of tokens, or "-" if none is recorded.
func tokens(n int64) string {
	if n == 0 {
		return "-"
	}
	return count(n)
}

func lasting(ms int64) string { return plain.Duration(time.Duration(ms) * time.Millisecond) }

func day(t time.Time) string { return moment(t, time.DateOnly) }

// moment formats a time in the zone of the person who makes the page, or "" if it is unknown.
func moment(t time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(layout)
}

// folder is the name of a project's folder.
func folder(path string) string {
	if path == "" {
		return ""
	}
	return plain.Line(filepath.Base(path))
}

// pageID is the anchor of a failure. Keys are of letters, digits and dashes; anything else cannot be linked to.
func pageID(key string) string { return "k-" + plain.Line(key) }

// place names a session as `aburn show` accepts it.
func place(p report.Place) string {
	text := plain.Line(p.Source + "/" + p.Session)
	if p.Event > 0 {
		text += fmt.Sprintf(" %d", p.Event)
	}
	return text
}

// which names the tools that failed in a phase.
func which(p report.Phase) string {
	tools := make([]string, len(p.Tools))
	for i, t := range p.Tools {
		tools[i] = plain.Line(t.Tool) + " " + count(t.Failed)
	}
	return strings.Join(tools, ", ")
}

func phaseName(p report.Phase) string {
	return plain.Line(strings.TrimSuffix(p.Command+":"+p.Phase, ":"))
}
