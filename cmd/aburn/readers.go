package main

import "aburn/trace"

// readers is who can read agents' session stores: the one list of them.
func readers() []trace.Reader {
	return []trace.Reader{}
}
