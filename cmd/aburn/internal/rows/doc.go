// Package rows shows entries of the log, one a line, and chooses which of them are shown.
package rows
