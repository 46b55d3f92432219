package agent

// Form is a record that is a form with boxes, as it is exported.
type Form struct {
	Name    string `json:"name"`    // the form's, W-1
	Title   string `json:"title"`   // what it applies for
	Subject string `json:"subject"` // what it is about, for people
	Layout  string `json:"layout"`  // which issue of the form it follows
	Boxes   []Box  `json:"boxes"`
	// Missing names the boxes that nobody filled.
	Missing     []string `json:"missing"`
	Attachments []string `json:"attachments"`
	// Assumptions are what no source confirmed, each in a sentence with who confirmed it.
	Assumptions []string `json:"assumptions"`
	Notes       []string `json:"notes"`
	// Call is the one whose approval covers it.
	Call string `json:"call"`
}

// Box is one of a form. Status is filled, missing or not applicable.
type Box struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Value  string `json:"value"`
	Unit   string `json:"unit,omitempty"`
	Source string `json:"source"`
	Status string `json:"status"`
	Note   string `json:"note,omitempty"`
}
