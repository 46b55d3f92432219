// Package pipeline runs the context tools of one stage. It groups them into phases by
// their dependencies, gives each tool the outputs that it asks for, retries what is
// worth retrying, and skips a tool whose output from an earlier turn still holds.
//
// Assembly tools are read-only. The dispatcher hands them no transaction, repeats them
// after a failure without asking, and refuses a configuration that declares Mutates.
// Anything with side effects is a tool of the agent instead (package tool), whose calls
// are held until a person has approved them.
package pipeline
