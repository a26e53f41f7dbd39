// Package graph makes trees of sessions and their relationships, and adds up what they hold so that nothing is counted
// twice, whatever the relationships say: circles are cut, and unknown parents stand in the tree as such.
package graph
