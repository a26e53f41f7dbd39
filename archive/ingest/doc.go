// Package ingest brings what is new in the agents' session stores into the archive.
//
// Each store is read from where the last reading ended only if it is the same file (device and inode), it begins with the
// same bytes, the same bytes stand before that place, and its other files are unchanged. Otherwise it is read whole, and
// the report says why. A store whose size and time are those of the last reading is not opened.
//
// Who calls Run holds the Lock: there is one writer at a time.
package ingest
