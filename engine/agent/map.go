package agent

import "errors"

// ErrNoMap says that there is nothing to draw.
var ErrNoMap = errors.New("agent: there is nothing to draw")

// Map is what was measured, to be drawn. Places are US survey feet east and north of its
// middle; the distances are those of the tool, and nothing is measured again to draw them.
type Map struct {
	Title string `json:"title"`
	Datum string `json:"datum"`
	// Verdict is what the tool said, Rule what it went by.
	Verdict string `json:"verdict"`
	Rule    string `json:"rule"`
	// MeasuredFrom says what of the subject the distances are measured from.
	MeasuredFrom string       `json:"measured_from"`
	Areas        []Area       `json:"areas"`
	Features     []MapFeature `json:"features"`
	// Distances are those that the verdict rests on, AsFiled those of a document, which are not
	// drawn.
	Distances []Distance `json:"distances"`
	AsFiled   []Filed    `json:"as_filed"`
	// Unplaced are features that could not be drawn, with why.
	Unplaced []string `json:"unplaced"`
	Notes    []string `json:"notes"`
	Legend   Legend   `json:"legend"`
}

// Legend names, in the agent's words, what is drawn.
type Legend struct {
	// Subject and Other are the feature that the map is about and any other, Path the way of one.
	Subject string `json:"subject"`
	Other   string `json:"other"`
	Path    string `json:"path"`
	// Confirmed and Unconfirmed are the lines of areas, by whether a person confirmed them.
	Confirmed   string `json:"confirmed"`
	Unconfirmed string `json:"unconfirmed"`
	// Whole and Near are the two views: all areas, and what is around the subject.
	Whole string `json:"whole"`
	Near  string `json:"near"`
}

// MapPoint is a place: feet east, feet north.
type MapPoint [2]float64

// Area is within lines: the outer ring first.
type Area struct {
	Ref   string       `json:"ref"`
	Name  string       `json:"name"`
	Rings [][]MapPoint `json:"rings"`
	// Confirmed says that a person confirmed that these are its lines.
	Confirmed bool   `json:"confirmed"`
	Source    string `json:"source"`
}

// MapFeature is what stands at a place. Path is where it goes, Measured what of it distances are measured by.
type MapFeature struct {
	Ref     string `json:"ref"`
	Name    string `json:"name"`
	Subject bool   `json:"subject,omitempty"`
	// Former says that it is no longer, or never came to be: it is drawn crossed out.
	Former   bool       `json:"former,omitempty"`
	Path     []MapPoint `json:"path"`
	Measured []MapPoint `json:"measured"`
}

// Distance is between two places: of the subject, and of another feature (Ref) or the nearest line of an area. State says how it stands to the limit: short, kept, open
// where nothing was decided, or none where no limit counts.
type Distance struct {
	What    string   `json:"what"`
	Ref     string   `json:"ref,omitempty"` // the other feature
	From    MapPoint `json:"from"`
	To      MapPoint `json:"to"`
	Ft      float64  `json:"ft"`
	LimitFt float64  `json:"limit_ft,omitempty"`
	State   string   `json:"state"`
	Why     string   `json:"why,omitempty"`
}

// Filed is a distance as it stands on a permit.
type Filed struct {
	What      string  `json:"what"`
	Ft        float64 `json:"ft"`
	Direction string  `json:"direction,omitempty"`
	Source    string  `json:"source"`
}
