import { describe, expect, it } from "vitest";
import type { Manifest } from "@/api/types";
import { STAGE_SIZE, type Direction, type LayoutManifest, type LayoutOptions, type PlacedStage, type Placement, type Point } from "./geometry";
import { sight } from "./drawing";
import { layout } from "./layout";
import { shownGraph } from "./levels";
import { navigator } from "./navigator.fixture";
import { emptyProgress } from "./progress";

const at = (placement: Placement, id: string) => placement.stages.find((stage) => stage.id === id)!;
const edge = (placement: Placement, from: string, to: string) =>
  placement.edges.find((e) => e.from === from && e.to === to)!;

function overlaps(a: PlacedStage, b: PlacedStage) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether a segment between bends runs through the inside of a stage. */
function crosses([p, q]: [Point, Point], s: PlacedStage) {
  for (let i = 1; i < 40; i++) {
    const [x, y] = [p.x + ((q.x - p.x) * i) / 40, p.y + ((q.y - p.y) * i) / 40];
    if (x > s.x + 1 && x < s.x + s.width - 1 && y > s.y + 1 && y < s.y + s.height - 1) return true;
  }
  return false;
}

const open = { context_assembly: { width: 248, height: 320 }, navigator: { width: 248, height: 110 } };

/** Sixty stages in rows of up to six, with branches, joins, jumps and ways back; the same each time. */
const sixty: LayoutManifest = (() => {
  let seed = 7;
  const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const stages = Array.from({ length: 60 }, (_, index) => ({ id: `s${index}` }));
  const edges = stages.slice(1).flatMap(({ id }, index) => {
    const near = `s${Math.max(0, index - random(6))}`;
    const more = index % 7 === 0 ? [{ from: `s${random(index + 1)}`, to: id, type: "conditional", condition: `c${index}` }] : [];
    const back = index % 19 === 0 && index > 5 ? [{ from: id, to: `s${index - 5}`, type: "sequence" }] : [];
    return [{ from: near, to: id, type: "sequence" }, ...more.filter(({ from }) => from !== near), ...back.filter(({ to }) => to !== near)];
  });
  return { stages, edges: [{ from: "start", to: "s0", type: "entry" }, ...edges, { from: "s59", to: "end", type: "exit" }] };
})();

const cases: [string, LayoutManifest, LayoutOptions["sizes"]?][] = [
  ["the navigator with stages opened", navigator, open],
  ["the navigator", navigator],
  ["the navigator without coordinates", { stages: navigator.stages.map(({ id }) => ({ id })), edges: navigator.edges }],
  ["sixty stages", sixty],
  [
    "a loop of a supervisor over four stages",
    {
      stages: ["supervisor", "search", "judge", "resolve", "synthesize"].map((id) => ({ id })),
      edges: [
        { from: "start", to: "supervisor", type: "entry" },
        ...["search", "judge", "resolve", "synthesize"].flatMap((id) => [
          { from: "supervisor", to: id, type: "conditional", condition: `next_is_${id}` },
          ...(id === "synthesize" ? [] : [{ from: id, to: "supervisor", type: "sequence" }]),
        ]),
        { from: "synthesize", to: "end", type: "exit" },
      ],
    },
  ],
];

describe.each(cases)("layout of %s", (_, manifest, sizes) => {
  describe.each<Direction>(["down", "right"])("drawn %s", (direction) => {
    const placement = layout(manifest, { direction, sizes });

    it("places every stage and edge", () => {
      const ids = placement.stages.map((stage) => stage.id);
      expect(ids).toEqual(expect.arrayContaining(manifest.stages.map((stage) => stage.id)));
      expect(placement.edges).toHaveLength(manifest.edges.length);
      expect(new Set(placement.edges.map((e) => e.id)).size).toBe(manifest.edges.length);
    });

    it("lets no two stages overlap", () => {
      placement.stages.forEach((a, i) =>
        placement.stages.slice(i + 1).forEach((b) => expect(overlaps(a, b), `${a.id} and ${b.id}`).toBe(false)),
      );
    });

    it("runs no edge behind a stage that it does not join", () => {
      for (const { from, to, points } of placement.edges)
        for (const stage of placement.stages)
          if (stage.id !== from && stage.id !== to)
            for (let i = 1; i < points.length; i++)
              expect(crosses([points[i - 1]!, points[i]!], stage), `${from}→${to} behind ${stage.id}`).toBe(false);
    });

    it("draws every edge with right angles", () => {
      for (const { id, points } of placement.edges)
        for (let i = 1; i < points.length; i++)
          expect(points[i - 1]!.x === points[i]!.x || points[i - 1]!.y === points[i]!.y, id).toBe(true);
    });

    it("keeps the labels of conditions apart and off the stages", () => {
      const boxes = placement.edges
        .filter((e) => e.condition)
        .map(({ id, label }) => ({
          id,
          x: label.x - 74,
          y: label.y - 17,
          width: 148,
          height: 34,
          layer: 0,
          terminal: false,
        }));
      boxes.forEach((a, i) => {
        for (const b of [...boxes.slice(i + 1), ...placement.stages])
          expect(overlaps(a, b), `${a.id} on ${b.id}`).toBe(false);
      });
    });

    it("stays inside its own size", () => {
      for (const stage of placement.stages) {
        expect(stage.x).toBeGreaterThanOrEqual(0);
        expect(stage.y).toBeGreaterThanOrEqual(0);
        expect(stage.x + stage.width).toBeLessThanOrEqual(placement.width + 1);
        expect(stage.y + stage.height).toBeLessThanOrEqual(placement.height + 1);
      }
    });

    it("gives the same picture each time", () => {
      expect(layout(manifest, { direction, sizes })).toEqual(placement);
    });
  });
});

describe("layout", () => {
  it("puts parallel branches side by side", () => {
    const down = layout(navigator);
    expect(at(down, "context_assembly").y).toBe(at(down, "empathy").y);
    expect(at(down, "context_assembly").x).not.toBe(at(down, "empathy").x);
    const right = layout(navigator, { direction: "right" });
    expect(at(right, "context_assembly").x).toBe(at(right, "empathy").x);
  });

  it("runs forward along the flow", () => {
    const down = layout(navigator);
    const right = layout(navigator, { direction: "right" });
    for (const { from, to } of navigator.edges) {
      expect(at(down, from).y).toBeLessThan(at(down, to).y);
      expect(at(right, from).x).toBeLessThan(at(right, to).x);
    }
  });

  it("labels conditional edges with their condition", () => {
    expect(edge(layout(navigator), "context_format", "finalize").condition).toBe("assembly_failed");
  });

  it("makes room for an opened stage", () => {
    const closed = layout(navigator);
    const opened = layout(navigator, { sizes: open });
    expect(at(opened, "context_format").y - at(closed, "context_format").y).toBe(320 - STAGE_SIZE.height);
  });

  it("ignores given layers that an edge contradicts", () => {
    const wrong = { stages: navigator.stages.map((stage) => ({ ...stage, layer: 1 })), edges: navigator.edges };
    const placement = layout(wrong);
    expect(at(placement, "preflight").y).toBeLessThan(at(placement, "finalize").y);
  });

  it("leaves out edges that name no stage", () => {
    const placement = layout({ stages: [{ id: "a" }], edges: [{ from: "a", to: "nowhere", type: "sequence" }] });
    expect(placement.edges).toEqual([]);
    expect(placement.stages).toHaveLength(1);
  });

  it("draws an empty graph as nothing", () => {
    expect(layout({ stages: [], edges: [] })).toMatchObject({ stages: [], edges: [], width: 0, height: 0 });
  });
});

describe("a way back", () => {
  const edges = [
    { from: "start", to: "extract", type: "entry" },
    { from: "extract", to: "draft", type: "sequence" },
    { from: "draft", to: "check", type: "sequence" },
    { from: "check", to: "draft", type: "conditional", condition: "retry" },
    { from: "check", to: "hand_over", type: "sequence" },
    { from: "hand_over", to: "end", type: "exit" },
  ];
  const stages = ["extract", "draft", "check", "hand_over"].map((id) => ({ id, title: id, kind: "call" }));
  const inOrder = ["start", "extract", "draft", "check", "hand_over", "end"];
  const rows = (placement: Placement) => [...placement.stages].sort((a, b) => a.layer - b.layer).map(({ id, layer }) => `${layer} ${id}`);
  /** As the drawing has it: one edge stands for both ways between two stages. */
  const drawn = (list: typeof edges): LayoutManifest => {
    const level = shownGraph({ stages, edges: list } as unknown as Manifest, emptyProgress);
    return { stages: level.stages, edges: level.edges };
  };

  it.each<Direction>(["down", "right"])("drawn %s leaves the stages of a retry in the order in which they run", (direction) => {
    expect(drawn(edges).edges.filter(({ from, to }) => [from, to].includes("draft") && [from, to].includes("check"))).toMatchObject([{ from: "check", to: "draft", back: true }]);
    for (const list of [edges, edges.toReversed()]) {
      expect(rows(layout(drawn(list), { direction }))).toEqual(inOrder.map((id, row) => `${row} ${id}`));
      expect(rows(layout({ stages: stages.toReversed(), edges: list }, { direction }))).toEqual(inOrder.map((id, row) => `${row} ${id}`));
    }
  });

  it("leaves a stage that is added below the one that leads to it", () => {
    const whole = drawn(edges);
    const small = { stages: whole.stages.filter(({ id }) => id !== "check"), edges: whole.edges.filter(({ from, to }) => from !== "check" && to !== "check") };
    const grown = layout(whole, { before: layout(small).arrangement });
    expect(at(grown, "check").layer).toBeGreaterThan(at(grown, "draft").layer);
  });

  it("turns no other edge of a graph with loops upwards", () => {
    let seed = 3;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    for (let graph = 0; graph < 40; graph++) {
      const count = 4 + random(16);
      const parents = Array.from({ length: count }, (_, index) => (index === 0 ? -1 : random(index)));
      const above = (index: number): number[] => (parents[index]! < 0 ? [] : [parents[index]!, ...above(parents[index]!)]);
      const tree = parents.slice(1).map((parent, index) => ({ from: `s${parent}`, to: `s${index + 1}`, type: "sequence" }));
      const [jumps, backs]: [LayoutManifest["edges"][number][], LayoutManifest["edges"][number][]] = [[], []];
      for (let index = 1; index < count; index++) {
        const others = above(index);
        const other = `s${others[random(others.length)]}`;
        const kind = random(3);
        if (kind === 0) backs.push({ from: `s${index}`, to: other, type: "match", match: `back${index}` });
        if (kind === 1) jumps.push({ from: other, to: `s${index}`, type: "match", match: `jump${index}` });
      }
      const forward = [{ from: "start", to: "s0", type: "entry" }, ...tree, ...jumps];
      const placement = layout({ stages: parents.map((_, index) => ({ id: `s${index}` })), edges: [...forward, ...backs] });
      for (const { from, to } of forward) expect(at(placement, from).y, `${from}→${to} of graph ${graph}`).toBeLessThan(at(placement, to).y);
      expect(placement.edges).toHaveLength(forward.length + backs.length);
    }
  });
});

describe("a graph that grows", () => {
  const without = (...gone: string[]): LayoutManifest => ({
    stages: navigator.stages.filter(({ id }) => !gone.includes(id)),
    edges: navigator.edges.filter(({ from, to }) => !gone.includes(from) && !gone.includes(to)),
  });
  const grown: [string, LayoutManifest, LayoutManifest][] = [
    ["a parallel branch", without("empathy"), navigator],
    ["a branch of a choice", without("safety_intervention"), navigator],
    ["two stages at once", without("safety_intervention", "empathy"), navigator],
    [
      "a stage between two others",
      navigator,
      {
        stages: [...navigator.stages, { id: "review" }],
        edges: [...navigator.edges, { from: "navigator", to: "review", type: "choice", labelled: true }, { from: "review", to: "finalize", type: "sequence" }],
      },
    ],
  ];

  describe.each(grown)("by %s", (_, small, large) => {
    it.each<Direction>(["down", "right"])("drawn %s leaves every stage in its place across the flow and lets none overlap", (direction) => {
      const before = layout(small, { direction });
      const after = layout(large, { direction, before: before.arrangement });
      const across = direction === "down" ? "x" : "y";
      for (const stage of before.stages) {
        expect(at(after, stage.id)[across], stage.id).toBe(stage[across]);
        expect(at(after, stage.id).layer).toBe(stage.layer);
      }
      after.stages.forEach((a, i) =>
        after.stages.slice(i + 1).forEach((b) => expect(overlaps(a, b), `${a.id} and ${b.id}`).toBe(false)),
      );
      expect(after.stages).toHaveLength(large.stages.length + 2);
      expect(after.edges).toHaveLength(large.edges.length);
    });
  });

  it("runs no edge behind a stage after it grew", () => {
    const after = layout(navigator, { before: layout(without("empathy")).arrangement });
    for (const { from, to, points } of after.edges)
      for (const stage of after.stages)
        if (stage.id !== from && stage.id !== to)
          for (let i = 1; i < points.length; i++) expect(crosses([points[i - 1]!, points[i]!], stage), `${from}→${to} behind ${stage.id}`).toBe(false);
  });

  it("is placed anew when a stage is gone, or one that grew has no room", () => {
    const before = layout(navigator);
    expect(layout(without("empathy"), { before: before.arrangement })).toEqual(layout(without("empathy")));
    const wide = { sizes: { context_assembly: { width: 900, height: 60 }, empathy: { width: 900, height: 60 } } };
    expect(layout(navigator, { ...wide, before: before.arrangement })).toEqual(layout(navigator, wide));
  });
});

// "I opened the session, and its graph showed me the help that nobody needed; the start was out of view."
describe("what a pane shows first", () => {
  it("is all that ran, in its middle, or the start with as much of it as goes", () => {
    expect(sight([], 300)).toBe(0);
    expect(sight([{ at: 500, length: 40 }, { at: 400, length: 200 }], 300)).toBe(350);
    expect(sight([{ at: 10, length: 40 }, { at: 20, length: 200 }], 300)).toBe(0);
    // Too many: the start is in the middle, or at the edge that it is at.
    expect(sight([{ at: 500, length: 40 }, { at: 100, length: 200 }, { at: 900, length: 200 }], 300)).toBe(370);
    expect(sight([{ at: 100, length: 40 }, { at: 900, length: 200 }], 300)).toBe(100);
    expect(sight([{ at: 1060, length: 40 }, { at: 100, length: 200 }], 300)).toBe(800);
  });
});
