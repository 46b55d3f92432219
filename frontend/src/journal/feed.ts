import type { JournalEvent } from "@/api/types";

export interface FeedOptions {
  /** Number of the newest event that was already applied. */
  after: number;
  /** Receives events in order, without gaps or repeats; tokens between them as they came. */
  apply(events: JournalEvent[]): void;
  /** Reads stored events after seq; used when one is missing. */
  read(after: number): Promise<JournalEvent[]>;
  /** Calls back at the next frame. */
  frame(run: () => void): void;
  /** Milliseconds to wait for a missing event before reading it from the store. */
  patience?: number;
  /** Milliseconds to wait before a failed read is tried again. */
  retry?: number;
}

/**
 * Puts a journal's events in order, drops repeats, notices gaps and hands them on
 * in one batch a frame. A structural event is never dropped: it waits until what
 * comes before it has been read.
 */
export class Feed {
  private last: number;
  private queue: JournalEvent[] = [];
  private readonly held = new Map<number, JournalEvent>();
  private scheduled = false;
  private healing = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(private readonly options: FeedOptions) {
    this.last = options.after;
  }

  /** Number of the newest event in order, for continuing a stream. */
  get seq(): number {
    return this.last;
  }

  push(event: JournalEvent): void {
    if (this.closed) return;
    if (!event.seq) {
      this.queue.push(event);
      this.schedule();
      return;
    }
    if (event.seq <= this.last || this.held.has(event.seq)) return;
    this.held.set(event.seq, event);
    this.drain();
    if (this.held.size && this.timer === undefined && !this.healing) {
      this.timer = setTimeout(() => void this.heal(), this.options.patience ?? 120);
    }
  }

  /** Reads what is missing now; also called when nothing has come for too long. */
  async heal(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.closed || this.healing) return;
    this.healing = true;
    let again = 0;
    try {
      const before = this.last;
      for (const event of await this.options.read(this.last)) {
        if (event.seq && event.seq > this.last) this.held.set(event.seq, event);
      }
      this.drain();
      if (this.held.size) again = this.last > before ? 1 : (this.options.retry ?? 1000);
    } catch {
      // The connection is shown as lost elsewhere; what is held stays held.
      again = this.options.retry ?? 1000;
    } finally {
      this.healing = false;
    }
    if (again && !this.closed && this.held.size) this.timer = setTimeout(() => void this.heal(), again);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private drain(): void {
    for (let next = this.held.get(this.last + 1); next; next = this.held.get(this.last + 1)) {
      this.held.delete(++this.last);
      this.queue.push(next);
    }
    for (const seq of this.held.keys()) if (seq <= this.last) this.held.delete(seq);
    if (!this.held.size) {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.closed || !this.queue.length) return;
    this.scheduled = true;
    this.options.frame(() => {
      this.scheduled = false;
      if (this.closed) return;
      const batch = this.queue;
      this.queue = [];
      if (batch.length) this.options.apply(batch);
    });
  }
}

/** Runs at the next animation frame, or after 100 ms where frames stall (a hidden tab, a covered window). */
export function nextFrame(run: () => void): void {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, 100);
}
