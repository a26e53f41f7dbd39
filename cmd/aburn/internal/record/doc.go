// Package record is the commands that write, read and check one project's log.
package record
