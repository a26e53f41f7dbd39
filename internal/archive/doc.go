// Package archive keeps the traces of all sessions in one derived SQLite store of the user, so that they outlive the
// agents' own files.
package archive
