package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// AppendJSON appends the event as its row has it: the bytes that package json writes, without
// escapes for HTML. By hand, because a durable run is mostly the writing of small events, and
// looking through the struct again for each was a fifth of its work. The event is rendered.
func (e *Event) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	if e.Seq != 0 {
		dst = append(strconv.AppendUint(append(dst, `"seq":`...), e.Seq, 10), ',')
	}
	dst, err := e.At.AppendText(append(dst, `"at":"`...))
	if err != nil {
		return dst, err
	}
	dst = appendText(append(dst, `","session":`...), e.Session)
	dst = appendMember(dst, `,"turn":`, e.Turn)
	dst = appendText(append(dst, `,"kind":`...), string(e.Kind))
	dst = appendMember(dst, `,"stage":`, string(e.Stage))
	dst = appendNumber(dst, `,"attempt":`, e.Attempt)
	dst = appendMember(dst, `,"from":`, string(e.From))
	dst = appendMember(dst, `,"to":`, string(e.To))
	dst = appendMember(dst, `,"condition":`, e.Condition)
	dst = appendMember(dst, `,"resolver":`, e.Resolver)
	dst = appendNumber(dst, `,"phase":`, e.Phase)
	dst = appendMember(dst, `,"tool":`, e.Tool)
	dst = appendMember(dst, `,"call":`, e.Call)
	dst = appendMember(dst, `,"approval":`, e.Approval)
	dst = appendMember(dst, `,"status":`, e.Status)
	dst = appendMember(dst, `,"reason":`, e.Reason)
	dst = appendMember(dst, `,"error":`, e.Error)
	dst = appendMember(dst, `,"message":`, e.Message)
	dst = appendNumber(dst, `,"offset":`, e.Offset)
	dst = appendMember(dst, `,"text":`, e.Text)
	if len(e.Data) > 0 {
		if dst, err = appendData(append(dst, `,"data":`...), e.Data); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendMember(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	return appendText(append(dst, name...), s)
}

func appendNumber(dst []byte, name string, n int) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), int64(n), 10)
}

func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7F || c == '"' || c == '\\' {
			return append(dst, escaped(s)...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// escaped is a text in JSON that does not stand there as it is.
func escaped(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("journal: " + err.Error()) // a string always is JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// appendData appends a value without the spaces between its parts; what is no value is an error.
func appendData(dst []byte, data json.RawMessage) ([]byte, error) {
	if json.Valid(data) && bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, ' ') < 0 && bytes.IndexByte(data, '\t') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return append(dst, data...), nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, data)
	return append(dst, b.Bytes()...), err
}
