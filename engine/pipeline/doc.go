// Package pipeline runs the context tools of one stage: it groups them into
// phases by what they depend on, gives each the outputs it asks for, retries
// what is worth retrying and does not run what an earlier turn already found out.
//
// Assembly tools are read-only. The dispatcher hands them no transaction, runs
// them again after a failure without asking, and refuses a configuration that
// says it mutates; whatever changes something is a tool of the agent instead
// (package tool), where it is held until a person approved it.
package pipeline
