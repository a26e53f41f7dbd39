package daemon

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/hooks"
	"aburn/worker"
)

// How often status lines are told again who waits: they believe it for hooks.WatchedFor.
const glanceAgain = 25 * time.Second

// glance is what this process told status lines last.
type glance struct {
	told []hooks.Wait
	at   time.Time
}

// writeWaits tells status lines which workers wait for their user. Another program that follows all sessions, as `aburn web`
// does, knows more: while it tells, this one does not.
func (d *daemon) writeWaits(now time.Time) {
	list := d.waits()
	if since := now.Sub(d.glance.at); slices.Equal(list, d.glance.told) && since >= 0 && since < glanceAgain {
		return
	}
	err := hooks.UpdateGlance(d.env, func(g *hooks.Glance) {
		if age := now.Sub(g.Watched); age >= 0 && age < hooks.WatchedFor && !g.Watched.Equal(d.glance.at) {
			return
		}
		g.Watched, g.Waits, g.More = now, list, 0
	})
	if err != nil && d.glance.at.IsZero() { // said once
		d.say("", "status lines don't show who waits for you: "+err.Error())
	}
	d.glance = glance{list, now}
}

// clearWaits takes back what this process told: nobody looks any more.
func (d *daemon) clearWaits() {
	if d.glance.at.IsZero() {
		return
	}
	hooks.UpdateGlance(d.env, func(g *hooks.Glance) {
		if g.Watched.Equal(d.glance.at) {
			g.Watched, g.Waits, g.More = time.Time{}, nil, 0
		}
	}) // it would be believed for a minute at most
}

func (d *daemon) waits() (list []hooks.Wait) {
	var since []time.Time
	for root, c := range d.projects {
		if c.clone {
			continue // the project knows of these too
		}
		for _, m := range c.Members() {
			if m.Err == nil && !m.Over() && m.Worker.Zone() == worker.ZoneNeedsYou {
				at, _ := slices.BinarySearchFunc(since, m.Worker.Since, time.Time.Compare)
				since = slices.Insert(since, at, m.Worker.Since)
				list = slices.Insert(list, at, hooks.Wait{Project: strings.TrimSpace(filepath.Base(root)), Session: m.Session})
			}
		}
	}
	return list
}
