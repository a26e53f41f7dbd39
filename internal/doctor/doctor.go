// Package doctor proves, as far as looking can, that the hooks of this user's agents record into this project's log; it
// changes nothing outside of a throw-away folder.
package doctor
