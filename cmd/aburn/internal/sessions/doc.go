// Package sessions is the commands that read agents' session stores into the archive and show what is in it.
package sessions
