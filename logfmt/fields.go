package logfmt

// The known members of an entry line, in the order in which aburn writes them.
const (
	fTime = iota
	fCmd
	fPhase
	fEvent
	fSession
	fSeq
	fID
	fAgent
	fSource
	fWt
	fBranch
	fData
	fCrc
	fieldCount
	fUnknown = fieldCount
)

func fieldOf(key []byte) int {
	switch string(key) {
	case "ts":
		return fTime
	case "cmd":
		return fCmd
	case "phase":
		return fPhase
	case "event":
		return fEvent
	case "session":
		return fSession
	case "seq":
		return fSeq
	case "id":
		return fID
	case "agent":
		return fAgent
	case "source":
		return fSource
	case "wt":
		return fWt
	case "branch":
		return fBranch
	case "data":
		return fData
	case "crc":
		return fCrc
	}
	return fUnknown
}
