// Package registry reads a telemetry registry in the definition/1 form of
// OpenTelemetry Weaver and judges, resolves, compares and extends it without
// Weaver. It starts no program except the Weaver that a caller hands it, opens
// nothing outside of the folders that it was given, and fetches nothing.
//
// Rules have Weaver's names and severities. They were derived from Weaver's
// sources at afa9700c (after 0.25.1), not from runs of its binary. What only
// Weaver can judge is a finding of severity [NotJudged]: definition/2 files,
// manifest/2.0, policies, and dependencies that are not on this disk.
//
// Known gaps: the value of an event's body is read and kept, not judged. An
// import whose pattern matches nothing is no finding.
package registry
