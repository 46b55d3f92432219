package store

// bucket names one flat ordered map. The names are part of the file format.
type bucket int

const (
	metaBucket         bucket = iota // schema, id, created: never sealed
	countersBucket                   // name → last number given out
	settingsBucket                   // key → JSON
	vectorsBucket                    // model, text hash → float32s
	sessionsBucket                   // session → row
	sessionsByTime                   // updated, session
	runsBucket                       // run → row
	runsBySession                    // session, n → run
	runsByStatus                     // status, run
	channelsBucket                   // run, channel → value
	pendingBucket                    // run, stage → row
	pausesBucket                     // run, pause → row
	journalBucket                    // session, seq → event
	skipsBucket                      // session, tool → row
	blobsBucket                      // name → body
	blobsBySession                   // session, name
	blobOwners                       // name, session
	recordsBucket                    // type, id → row
	recordsByPatient                 // patient, type, id
	approvalsBucket                  // approval → row
	approvalsByOrder                 // n → approval
	approvalsByStatus                // status, n → approval
	approvalsBySession               // session, n → approval
	entriesBucket                    // call → row
	entriesByOrder                   // n → call
	entriesByTurn                    // turn, n → call
	piecesBucket                     // n, i → a part of a large value
	bucketCount
)

var bucketNames = [bucketCount]string{
	"meta", "counters", "settings", "vectors", "sessions", "sessions_by_time",
	"runs", "runs_by_session", "runs_by_status", "channels", "pending", "pauses", "journal", "skips",
	"blobs", "blobs_by_session", "blob_owners", "records", "records_by_patient",
	"approvals", "approvals_by_order", "approvals_by_status", "approvals_by_session",
	"entries", "entries_by_order", "entries_by_turn", "pieces",
}

// backend is what a place to keep data must offer. DB sees to it that there is one
// write transaction at a time; readers see the state before or after it, never between.
type backend interface {
	begin(write bool) (kvTx, error)
	close() error
}

// kvTx is one transaction. Slices that it returns belong to the caller.
type kvTx interface {
	get(b bucket, k []byte) ([]byte, error) // nil when there is none
	put(b bucket, k, v []byte) error
	del(b bucket, k []byte) error
	cursor(b bucket) cursor
	// commit and rollback end the transaction.
	commit() error
	rollback() error
}

// cursor walks one bucket in key order. A nil key says that there is nothing
// there. It is lost when the transaction writes.
type cursor interface {
	seek(k []byte) (key, value []byte, err error) // the first at or after k
	next() (key, value []byte, err error)
	prev() (key, value []byte, err error)
	last() (key, value []byte, err error)
}
