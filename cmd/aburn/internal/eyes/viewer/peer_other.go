//go:build !linux

package viewer

import "net"

// peer is unknown here: the process that asks looks at its own ancestors.
func peer(net.Conn) int { return 0 }
