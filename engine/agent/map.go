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
	// MeasuredFrom says what of the well the distances are measured from.
	MeasuredFrom string    `json:"measured_from"`
	Tracts       []Tract   `json:"tracts"`
	Wells        []MapWell `json:"wells"`
	// Distances are those that the verdict rests on, AsFiled those of a plat, which are not
	// drawn.
	Distances []Distance `json:"distances"`
	AsFiled   []Filed    `json:"as_filed"`
	// Unplaced are wells that could not be drawn, with why.
	Unplaced []string `json:"unplaced"`
	Notes    []string `json:"notes"`
}

// MapPoint is a place: feet east, feet north.
type MapPoint [2]float64

// Tract is a lease's lines: the outer ring first.
type Tract struct {
	Ref   string       `json:"ref"`
	Name  string       `json:"name"`
	Rings [][]MapPoint `json:"rings"`
	// Confirmed says that a person confirmed that these are the lease's lines.
	Confirmed bool   `json:"confirmed"`
	Source    string `json:"source"`
}

// MapWell is a well. Path is where it goes, Measured what its spacing is measured by.
type MapWell struct {
	Ref      string     `json:"ref"`
	Name     string     `json:"name"`
	Subject  bool       `json:"subject,omitempty"`
	Status   string     `json:"status"`
	Path     []MapPoint `json:"path"`
	Measured []MapPoint `json:"measured"`
}

// Distance is between two places. State says how it stands to the limit: short, kept, open
// where nothing was decided, or none where no limit counts.
type Distance struct {
	What    string   `json:"what"`
	Ref     string   `json:"ref,omitempty"` // the other well
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
