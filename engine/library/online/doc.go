// Package online asks public sources of literature: PubMed, ClinicalTrials.gov and Europe PMC.
//
// Nothing here leaves the machine by itself. A search is first a list of requests (Plan), whole and
// as they would be sent. A person looks at each and approves it; only then Client sends it, as it
// was shown, and only to the hosts in Sources. What an answer makes possible besides, the texts
// of what was found or the next page, is again a request to be looked at.
//
// An answer becomes a file that package library imports as any other.
package online
