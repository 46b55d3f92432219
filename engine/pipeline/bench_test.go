package pipeline

import (
	"context"
	"testing"
)

func benchKit(b *testing.B) *Registry[struct{}] {
	b.Helper()
	tools := map[string]Tool[struct{}]{}
	for _, c := range navigatorConfigs(b) {
		tools[c.Name] = Tool[struct{}]{Run: func(context.Context, struct{}, Input) (Output, error) {
			return Output{Value: map[string]any{"signal_summary": "x", "genome_summary": "y"}, Completeness: 1}, nil
		}}
	}
	reg, err := NewRegistry(navigatorConfigs(b), tools)
	if err != nil {
		b.Fatal(err)
	}
	return reg
}

func BenchmarkPlan(b *testing.B) {
	reg := benchKit(b)
	names := reg.Names()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := reg.Plan(names); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRunFiveNoOpTools(b *testing.B) {
	reg := benchKit(b)
	req := Request{Session: "s", Tools: reg.Names(), Conversation: people("one", "two", "three")}
	b.ReportAllocs()
	for b.Loop() {
		if res, err := reg.Run(context.Background(), struct{}{}, req); err != nil || len(res.Ran) != 5 {
			b.Fatal(res, err)
		}
	}
}

func BenchmarkRunAllSkipped(b *testing.B) {
	k := newKit(b, navigatorConfigs(b), nil)
	k.turn(k.request("one", "two", "three"))
	req := k.request("one", "two", "three")
	req.Emit = nil
	b.ReportAllocs()
	for b.Loop() {
		if res, err := k.reg.Run(context.Background(), struct{}{}, req); err != nil || len(res.Skipped) != 5 {
			b.Fatal(res, err)
		}
	}
}
