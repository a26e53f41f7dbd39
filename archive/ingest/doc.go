// Package ingest brings what is new in the agents' session stores into the archive. It knows no agent: which stores
// are read, when and from where on follows from files, readers and cursors.
//
// Ingest skips a store whose size and modification time have not changed. Of a changed store it reads only the new
// part if device and inode are the same, the first bytes and those before the cursor are the same, and the store's
// other files are unchanged. Otherwise it reads all of it, and the report says why.
//
// Callers of Run hold the lock (Exclusively): there is one writer at a time.
package ingest
