// Package kit is what the commands of all executables share: the outside that they may touch, errors
// and hints, help, completion, JSON, tables and figures. It knows neither logs nor sessions.
package kit
