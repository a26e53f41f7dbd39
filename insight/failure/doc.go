// Package failure says which kind of error a text is: the class of a failed call, its first
// decisive line without what varies, and the command that failed. It is pure, and knows no agent
// by name. A change that can class or normalise an error otherwise needs a new insight.Version.
package failure
