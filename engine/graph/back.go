package graph

// Back is the error of a stage that ends the run for something that an earlier stage could
// not do. The run is failed, with Failed as the stage that did, and a resume starts at To,
// a stage of the outermost graph, and runs all that comes after it once more.
type Back struct {
	Failed, To StageID
	Err        error
}

func (b *Back) Error() string { return b.Err.Error() }

func (b *Back) Unwrap() error { return b.Err }
