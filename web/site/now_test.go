package site

import (
	"testing"

	"aburn/archive"
	"aburn/web/site/snapshot"
)

// A session that rests in the archive has not ended while its agent lives, in its own project.
func TestEndedAreNotLiving(t *testing.T) {
	of := func(root, id string) *snapshot.Row {
		return &snapshot.Row{Root: root, Session: archive.Session{ID: id}}
	}
	list := []*snapshot.Row{of("/shop", "a"), of("/shop", "b"), of("/docs", "a")}
	got := ended(list, map[string]bool{"/shop\x00a": true, "/docs\x00c": true})
	if len(got) != 2 || got[0] != list[1] || got[1] != list[2] || len(list) != 3 || list[0].ID != "a" {
		t.Errorf("%d rows", len(got))
	}
}
