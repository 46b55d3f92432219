import { ApiError, type AppEvent, type Approval, type AppState, type AgentInfo, type EventLess, type JournalEvent, type Json, type Question, type Rule, type Session, type Settings, type ToolServer } from "@/api/types";
import { approvalOf, chartOf, doctor, help, manifest, episodes, memory, models, patients, recordsOf, regions, script, sessionsOf, stateOf, type Scene } from "./mock.scene";
import { rules, skills } from "./mock.rules";
import { agents, answered, autonomousScript, check, manifestOf, questionScript, questionsOf, runManifest, serversOf } from "./mock.reasoner";
import type { Transport } from "./transport";

/**
 * A Holdpoint in memory for tests and screenshots. It keeps journals, plays
 * scripted turns and takes verdicts; it is not part of release builds.
 */
export class MockTransport implements Transport {
  readonly kind = "mock";
  readonly calls: { name: string; body: unknown }[] = [];
  readonly journals = new Map<string, JournalEvent[]>();
  sessions: Session[];
  approvals: Approval[];
  state: AppState;
  settings: Settings;
  private episodes = structuredClone(episodes);
  readonly drafts = new Map<string, string>();
  readonly uploads: { title: string; paths: string[] }[] = [];
  agents: AgentInfo[] = agents();
  private readonly files = new Map<string, string>();
  questions: Question[] = [];
  servers: ToolServer[] = [];
  rules: Rule[] = rules;
  /** Of reviewers who sign with one. */
  readonly passphrases: Record<string, string> = {};
  /** Milliseconds between the events of a scripted turn. */
  pace = 25;
  private readonly listeners = new Map<string, Set<(event: JournalEvent) => void>>();
  private readonly appListeners = new Set<(event: AppEvent) => void>();
  private playing = new Map<string, () => void>();
  private made = 0;

  constructor(scene: Scene = "clinic") {
    const start = Date.now() - 3_600_000;
    const { sessions, journals, approvals } = sessionsOf(scene, start);
    this.sessions = sessions;
    this.approvals = approvals;
    for (const [session, events] of journals) this.journals.set(session, events);
    const at = new Date(start).toISOString();
    if (scene === "question") this.questions = questionsOf("s-ask", "Night of 20 November", "t-ask", at);
    if (scene === "servers") this.servers = serversOf(at);
    this.state = stateOf(scene, approvals.length, start);
    this.settings = {
      region: this.state.region, region_chosen: this.state.region_chosen, lines_checked: "2026-11-21", regions: regions(),
      threshold: 0.7, reviewer: this.state.reviewer, theme: "system", density: "comfortable", network: false, ollama_url: "http://127.0.0.1:11434",
      memory: false, memory_says: "When it is on, Holdpoint keeps a short summary of each conversation on this laptop.",
    };
  }

  async read<T>(path: string): Promise<T> {
    const url = new URL(path, "http://mock");
    const parts = url.pathname.split("/").slice(2).map(decodeURIComponent);
    const value = this.answer(parts, url.searchParams);
    if (value === undefined) throw new ApiError("not_found", "There is no such thing.", "Go back and choose another.", "Nothing was changed.", 404);
    return structuredClone(value) as T;
  }

  /** Exports and blobs; with what a hostile reply might have put into one. */
  async readText(path: string): Promise<string> {
    if (path.startsWith("/api/blobs/")) return JSON.stringify({ prompt: "You are a care navigator." });
    const hostile = "<script>parent.document.title = 'taken'</script><img src=https://beacon.test/a.png onerror=\"parent.document.title = 'taken'\">";
    return path.includes("format=html") ? `<!doctype html><title>Transcript</title><h1>Transcript</h1>${hostile}` : `# Transcript\n\n${hostile}\n`;
  }

  private answer(parts: string[], query: URLSearchParams): unknown {
    const [what, id, more] = parts;
    switch (what) {
      case "state": return { ...this.state, counts: { ...this.state.counts, approvals: this.approvals.filter((one) => one.status === "pending").length, questions: this.questions.length } };
      case "settings": return this.settings;
      case "doctor": return doctor(this.state);
      case "help": return help;
      case "help_text": return { text: `Call **${regions().find(({ code }) => code === query.get("region"))?.emergency}**.` };
      case "models": return models(this.state);
      case "jobs": return [];
      case "patients":
        if (id) {
          const patient = patients.find((one) => one.id === id);
          if (!patient) throw new ApiError("not_found", "record: not found", "", "", 404);
          return more === "chart" ? chartOf(patient) : { ...patient, allergies: patient.id === "p-1" ? ["Penicillin"] : [], deceased: patient.id === "p-2" };
        }
        {
          const found = patients.filter((one) => one.name.toLowerCase().includes((query.get("search") ?? "").toLowerCase()));
          return query.has("limit") ? { patients: found.slice(0, Number(query.get("limit"))), total: found.length, next: "" } : found;
        }
      case "agents": {
        if (!id) return this.agents;
        if (id === "schema") return { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Holdpoint graph", type: "object" };
        if (id === "words") return { kinds: [], tools: [], skills: [], patterns: [], functions: [], keys: {}, events: [] };
        if (more === "file") return { id, yaml: this.files.get(id) ?? `name: ${id}\ntitle: ${this.agents.find((one) => one.id === id)?.title}\nnodes:\n  - name: reply\n    kind: answer\n`, digest: `sha256:${this.files.get(id) ?? ""}`, unfinished: 1 };
        return manifestOf(id, query.get("pattern") ?? "") ?? manifest;
      }
      case "turns": {
        const events = [...this.journals.values()].find((one) => one.some((event) => event.turn === id));
        if (events && more === "report")
          return { status: "paused", steps: 6, max_steps: 30, ran: { preflight: 1, assembly_gate: 1 }, path: [{ from: "preflight", to: "assembly_gate", resolver: "safety" }], model_calls: 4, tool_calls: 5, prompt_tokens: 2400, output_tokens: 60, used: {}, limits: {} };
        return events && runManifest(id ?? "", events, manifest);
      }
      case "servers": return this.servers;
      case "drafts": return { text: this.drafts.get(id ?? "") ?? "" };
      case "providers": return { slots: ["2026-12-01T09:30:00Z", "2026-12-02T10:00:00Z", "2026-12-02T11:00:00Z"].map((start) => ({ start, end: new Date(Date.parse(start) + 50 * 60_000).toISOString() })), assumed: true, more: 0 };
      case "search": {
        const word = (query.get("q") ?? "").toLowerCase();
        const hits = [...this.journals].flatMap(([session, events]) => events
          .filter((event) => (event.kind === "turn_started" || event.kind === "turn_completed") && event.text?.toLowerCase().includes(word))
          .map((event) => ({ session, title: this.sessions.find((one) => one.id === session)?.title ?? "", turn: event.turn, reply: event.kind === "turn_completed", at: event.at, excerpt: event.text!.slice(0, 160) })));
        return { hits: hits.slice(0, 20), next: "", until: new Date().toISOString() };
      }
      case "rules": return this.rules;
      case "skills": return id ? { ...skills.find(({ name }) => name === id), definition: "## Steps\n1. Find the well." } : skills;
      case "records": return parts[3] === "linked" ? [] : recordsOf(id ?? "", more ?? "");
      case "memory": return memory;
      case "memories": {
        const search = (query.get("search") ?? "").toLowerCase();
        if (id) return this.episodes.find((one) => one.id === id);
        const found = this.episodes.filter(({ text }) => text.toLowerCase().includes(search)).map((one) => (search ? { ...one, similarity: 0.87 } : one));
        return { on: this.settings.memory ?? false, says: this.settings.memory_says ?? "", episodes: found, method: search ? "words" : undefined, lake: { waiting: 0, making: 0, kept: 1, failed: 0 } };
      }
      case "approvals": {
        if (id) {
          const approval = this.approvals.find((one) => one.id === id);
          return approval && { ...approval, nonce: `nonce-${++this.made}` };
        }
        const status = query.get("status") ?? "pending";
        return { approvals: this.approvals.filter((one) => status === "all" || one.status === status), unknown: [], questions: this.questions };
      }
      case "sessions": {
        if (!id) {
          const search = (query.get("search") ?? "").toLowerCase();
          const status = query.get("status") ?? "";
          return { sessions: this.sessions.filter((one) => one.title.toLowerCase().includes(search) && (!status || one.status === status)), next: "" };
        }
        const session = this.sessions.find((one) => one.id === id);
        const events = this.journals.get(id) ?? [];
        if (more === "journal") {
          const after = Number(query.get("after") ?? 0);
          return { events: events.filter((event) => event.seq! > after), last: events.length };
        }
        if (more === "turns") return this.turnsOf(id, events);
        return session;
      }
    }
    return undefined;
  }

  /** As far as the screens read it. */
  private turnsOf(session: string, events: readonly JournalEvent[]): unknown {
    const ids = [...new Set(events.map((event) => event.turn!))];
    return ids.map((turn) => {
      const limit = events.findLast((event) => event.turn === turn && event.kind === "turn_limited");
      const began = events.find((event) => event.turn === turn)!;
      return {
        turn, input: began.text ?? "", output: "", error: "", status: "completed", model: "qwen3:8b", practice: false, live: false, started_at: began.at, updated_at: began.at, agent: this.sessions.find((one) => one.id === session)?.agent, limit: limit?.status, more: limit ? "6" : undefined, max_steps: 100,
        questions: this.questions.filter((one) => one.turn === turn).map(({ pause, stage, prompt, choices, schema }) => ({ id: pause, kind: "question", stage, data: { prompt, choices, ...(schema === undefined ? {} : { schema }) } })),
      };
    });
  }

  private server(args: Record<string, Json>): ToolServer {
    const server = this.servers.find((one) => one.id === (args.id ?? args.server));
    if (!server) throw new ApiError("not_found", "There is no such server.");
    return server;
  }

  private take(args: Record<string, Json>): void {
    const question = this.questions.find((one) => one.pause === args.pause);
    if (!question) throw new ApiError("unknown_pause", "Nobody asks this any more.", "Look at the turn again.", "Nothing was changed.");
    this.questions = this.questions.filter((one) => one !== question);
    this.play(question.session, question.turn, answered(question.session, question.turn, question.pause, args.answer ?? null, question.prompt, !this.questions.some((one) => one.turn === question.turn)));
    this.tell({ kind: "approvals" });
  }

  async call<T>(name: string, body: unknown = {}): Promise<T> {
    this.calls.push({ name, body });
    const args = body as Record<string, Json>;
    switch (name) {
      case "send": return this.send(args) as T;
      case "answer": this.take(args); return {} as T;
      case "more": {
        const [session] = [...this.journals].find(([, events]) => events.some((event) => event.turn === args.turn)) ?? [""];
        const turn = String(args.turn);
        this.play(session, turn, [
          { session, turn, kind: "turn_resumed", data: { kept: ["work/plan"], rerun: ["work/work_choose"], unknown: 0 } },
          { session, turn, kind: "turn_completed", text: "12 × 37 + 9 is **453**." },
        ]);
        return {} as T;
      }
      case "check_agent": { const errors = check(String(args.yaml)); return { ok: errors.length === 0, errors, manifest: errors.length === 0 ? manifestOf("night_triage", "") : null } as T; }
      case "add_agent": {
        const id = /^name:\s*(\S+)/m.exec(String(args.yaml))?.[1] ?? "agent";
        this.agents = [...this.agents.filter((one) => one.id !== id), { id, title: id, description: "", kind: "file" }];
        this.files.set(id, String(args.yaml));
        this.tell({ kind: "agents" });
        return { id } as T;
      }
      case "change_agent": this.files.set(String(args.id), String(args.yaml)); this.tell({ kind: "agents" }); return {} as T;
      case "remove_agent": this.agents = this.agents.filter((one) => one.id !== args.id); this.tell({ kind: "agents" }); return {} as T;
      case "add_server": {
        const id = `srv-${++this.made}`;
        const [sample] = serversOf(new Date().toISOString());
        this.servers = [...this.servers, { ...sample!, id, title: String(args.title), transport: args.transport as "stdio" | "http", command: String(args.command ?? ""), args: args.args as string[], url: String(args.url ?? ""), status: "new", pinned_at: undefined, tools: sample!.tools!.map((tool) => ({ ...tool, class: "mutating" })) }];
        this.tell({ kind: "servers" });
        return { id } as T;
      }
      case "trust_server": {
        const server = this.server(args);
        if (server.digest !== args.digest) throw new ApiError("digest", "The server offers something else than was shown.", "Look at it again.", "Nothing was trusted.");
        Object.assign(server, { status: "ready", pinned_at: new Date().toISOString(), changes: [], tools: server.tools!.map((tool) => ({ ...tool, changed: false, before: null })) });
        this.tell({ kind: "servers" });
        return {} as T;
      }
      case "classify_tool": this.server(args).tools!.find((tool) => tool.name === args.tool)!.class = args.class as "read"; this.tell({ kind: "servers" }); return {} as T;
      case "remove_server": this.servers = this.servers.filter((one) => one.id !== args.id); this.tell({ kind: "servers" }); return {} as T;
      case "stop": this.playing.get(String(args.turn))?.(); return {} as T;
      case "approve": case "reject": return this.decide(name, args) as T;
      case "modify": {
        const approval = this.pending(args);
        approval.original ??= { args: approval.args, digest: approval.digest };
        approval.args = args.args ?? null;
        approval.digest = `sha256:${"c0ffee".repeat(11).slice(0, 64)}`;
        delete approval.display;
        return { approval } as T;
      }
      case "correct_episode": this.episodes = this.episodes.map((one) => (one.id === args.id ? { ...one, text: String(args.text), by: "person" } : one)); return {} as T;
      case "forget_episode": this.episodes = this.episodes.filter((one) => one.id !== args.id); return {} as T;
      case "set_setting": Object.assign(this.settings, { [String(args.key)]: args.value }); if (args.key === "region") { Object.assign(this.state, { region: args.value, region_chosen: true }); this.settings.region_chosen = true; } this.tell({ kind: "state" }); return {} as T;
      case "save_draft": this.drafts.set(String(args.session), String(args.text)); return {} as T;
      case "set_practice": this.state.practice = args.on === true; this.tell({ kind: "state" }); return {} as T;
      case "abandon": case "resume": this.state.interrupted = []; this.tell({ kind: "state" }); return {} as T;
      case "rename_session": for (const one of this.sessions) if (one.id === args.id) one.title = String(args.title); return {} as T;
      case "delete_session": this.sessions = this.sessions.filter((one) => one.id !== args.id); return {} as T;
      default: return {} as T;
    }
  }

  async uploadFiles(_kind: string, title: string, files: readonly { path: string }[]): Promise<unknown> {
    this.uploads.push({ title, paths: files.map(({ path }) => path) });
    return {};
  }

  journal(session: string, after: () => number, onEvent: (event: JournalEvent) => void, onLink?: (link: "live") => void): () => void {
    const set = this.listeners.get(session) ?? new Set();
    this.listeners.set(session, set);
    set.add(onEvent);
    const from = after();
    queueMicrotask(() => {
      for (const event of this.journals.get(session) ?? []) if (event.seq! > from) onEvent(event);
      onLink?.("live");
    });
    return () => void set.delete(onEvent);
  }

  app(onEvent: (event: AppEvent) => void): () => void {
    this.appListeners.add(onEvent);
    return () => void this.appListeners.delete(onEvent);
  }

  /** Stores an event (unless it is a token) and tells who follows the session. */
  emit(event: EventLess<"seq" | "at">): void {
    const journal = this.journals.get(event.session) ?? [];
    this.journals.set(event.session, journal);
    const full = { ...event, at: new Date().toISOString() } as JournalEvent;
    if (event.kind !== "token") {
      full.seq = journal.length + 1;
      journal.push(full);
    }
    for (const listener of this.listeners.get(event.session) ?? []) listener(full);
  }

  tell(event: AppEvent): void {
    for (const listener of this.appListeners) listener(event);
  }

  private send(args: Record<string, Json>): { session: string; turn: string } {
    const [session, text, agent] = [args.session, args.text, args.agent].map((one) => String(one ?? ""));
    const from = this.sessions.find((one) => this.journals.get(one.id)?.some((event) => event.turn === args.branch));
    const patient = String(args.patient ?? from?.patient ?? "");
    const id = session || `s${++this.made}`;
    const turn = `t${++this.made}`;
    const now = new Date().toISOString();
    if (!session) {
      this.sessions.unshift({
        id, title: text!.slice(0, 60), agent: agent || "navigator", patient, patient_name: patients.find((one) => one.id === patient)?.name ?? "",
        turns: 1, status: "running", approvals: 0, practice: this.state.practice, created_at: now, updated_at: now,
        ...(from ? { branch: String(args.branch), branch_of: { session: from.id, title: from.title, input: this.journals.get(from.id)!.find((event) => event.turn === args.branch)!.text ?? "" } } : {}),
      });
    }
    if (agent === "reasoner") this.play(id, turn, autonomousScript(id, turn, text!, "done"));
    else if (agent === "night_triage") {
      this.questions.push(...questionsOf(id, text!.slice(0, 60), turn, now));
      this.play(id, turn, questionScript(id, turn, text!));
    } else this.play(id, turn, script(id, turn, text!, this.state.practice));
    return { session: id, turn };
  }

  private play(session: string, turn: string, events: EventLess<"seq" | "at">[]): void {
    let at = 0;
    const timer = setInterval(() => {
      const event = events[at++];
      if (!event) return stop();
      this.emit(event);
      if (event.kind === "approval_requested") {
        this.approvals.push({ ...approvalOf(session, turn, event.approval!, Date.now()), session_title: this.sessions.find((one) => one.id === session)?.title });
        this.tell({ kind: "approvals" });
      }
    }, this.pace);
    const stop = () => {
      clearInterval(timer);
      this.playing.delete(turn);
      this.tell({ kind: "session", id: session });
    };
    this.playing.set(turn, () => {
      stop();
      this.emit({ session, turn, kind: "turn_cancelled" });
    });
  }

  private pending(args: Record<string, Json>): Approval {
    const approval = this.approvals.find((one) => one.id === args.id);
    if (!approval) throw new ApiError("not_found", "There is no such approval.");
    if (approval.digest !== args.digest) throw new ApiError("digest", "The arguments changed since they were shown.", "Read them again.", "Nothing was changed.");
    if (!args.nonce) throw new ApiError("nonce", "The card’s one-time key is missing.", "Open the card again.", "Nothing was changed.");
    const passphrase = this.passphrases[String(args.reviewer)];
    if (passphrase && passphrase !== args.passphrase) throw new ApiError("signature", `${args.reviewer} signs with a passphrase.`, "Give it with the verdict.", "Nothing was decided.");
    return approval;
  }

  private decide(name: "approve" | "reject", args: Record<string, Json>): { approval: Approval } {
    const approval = this.pending(args);
    approval.status = name === "approve" ? "approved" : "rejected";
    approval.reviewer = String(args.reviewer);
    approval.comment = String(args.comment ?? "");
    approval.decided_at = new Date().toISOString();
    const { session, turn, call, tool } = approval;
    const base = { session, turn };
    const verdict: EventLess<"seq" | "at"> = { ...base, kind: "approval_decided", approval: approval.id, status: approval.status, reason: approval.comment, data: { reviewer: approval.reviewer, digest: approval.digest } };
    const refs = ["Appointment/a-204"];
    const reply = name === "approve" ? "The visit is booked: **Tuesday 1 December, 09:30**." : "I did not book the visit, as you decided.";
    const rest: EventLess<"seq" | "at">[] = [
      verdict,
      { ...base, kind: "turn_resumed", data: { kept: ["preflight", "assembly_gate", "context_assembly", "empathy", "context_format"], rerun: ["navigator"], unknown: 0 } },
      { ...base, kind: "stage_started", stage: "navigator", attempt: 2 },
      name === "approve"
        ? { ...base, kind: "mutation_committed", stage: "navigator", call, tool, approval: approval.id, data: { refs, result: { status: "booked" } } }
        : { ...base, kind: "tool_refused", stage: "navigator", call, tool, reason: approval.comment },
      { ...base, kind: "stage_completed", stage: "navigator", data: { ms: 140, patch: { reply } } },
      { ...base, kind: "stage_started", stage: "finalize", attempt: 1 },
      { ...base, kind: "stage_completed", stage: "finalize", data: { ms: 3, patch: {} } },
      { ...base, kind: "turn_completed", text: reply },
    ];
    this.play(session, turn, rest);
    this.tell({ kind: "approvals" });
    return { approval };
  }
}

/** `choice` names a scene and, after a colon, the milliseconds between events. */
export function mockTransport(choice: string): Transport {
  const [scene, pace] = choice.split(":");
  const mock = new MockTransport((scene || "clinic") as Scene);
  // Browser tests ask it what it was told.
  Object.assign(window, { holdpointMock: mock });
  if (pace) mock.pace = Number(pace);
  return mock;
}
