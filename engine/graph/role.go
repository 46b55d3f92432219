package graph

// Roles of stages: what a stage is to the person who watches the turn. An agent
// names each role but hold at most once on a level; screens that find no stage of a
// role leave out what they would show of it.
const (
	RolePreflight    = "preflight"    // checks the message for danger before anything else
	RoleIntervention = "intervention" // answers with a reviewed text in place of the agent
	RoleGate         = "gate"         // chooses what is gathered this turn
	RoleAssembly     = "assembly"     // gathers context; the agent's pipeline of tools runs in it
	RoleFormat       = "format"       // puts what was gathered into the prompt
	RoleLoop         = "loop"         // talks and calls tools until it has an answer
	RoleHold         = "hold"         // may stop for a person: an approval or a question
	RoleReply        = "reply"        // writes the words of the reply
	RoleFinalize     = "finalize"     // closes the turn; coming here from format means that no reply was tried
)

var roles = []string{RolePreflight, RoleIntervention, RoleGate, RoleAssembly, RoleFormat, RoleLoop, RoleHold, RoleReply, RoleFinalize}
