package scrub

// Version counts the changes of the rules. What was scrubbed under an older one is scrubbed again where it is kept.
const Version = 1
