import type { ItemAction, MemoryAction, MemoryState } from '../../../shared/memory-states.ts';
import type { ConsolidationResult } from '../../../shared/schemas/consolidation.ts';

/**
 * The life of a memory as the specification tells it, in plain arrays. It knows nothing of how the service works: it
 * takes over the ids that the service gives, and says what must have become of everything.
 */

export const LAYERS = ['team', 'a', 'b'] as const;
/** The Team layer, or one of two clients. */
export type Layer = (typeof LAYERS)[number];

export const CALLERS = ['owner', 'admin', 'anna', 'ben', 'reader'] as const;
/** The Company's Owner, an Admin of the Team, two members of it, and a Company Admin who may only read there. */
export type CallerName = (typeof CALLERS)[number];

export interface Rights {
  full: boolean;
  reads: readonly Layer[];
  writes: readonly Layer[];
}

export const RIGHTS: Readonly<Record<CallerName, Rights>> = {
  owner: { full: true, reads: LAYERS, writes: LAYERS },
  admin: { full: true, reads: LAYERS, writes: LAYERS },
  anna: { full: false, reads: ['team', 'a'], writes: ['team', 'a'] },
  ben: { full: false, reads: LAYERS, writes: ['team', 'b'] },
  reader: { full: false, reads: LAYERS, writes: [] },
};

export interface ModelCapture {
  id: string;
  author: CallerName;
  layer: Layer;
  session: string;
  sequence: number | null;
  summary: string;
  state: 'staged' | 'claimed' | 'completed';
  /** That it is lent to, or was completed with. */
  batch: string | null;
}

export interface ModelBatch {
  id: string;
  claimer: CallerName;
  captures: string[];
  lapsed: boolean;
  /** What was accepted: the items, and the answer to them. */
  completed: { items: Item[]; results: ConsolidationResult[] } | null;
}

export interface ModelMemory {
  id: string;
  state: MemoryState;
  title: string;
  content: string;
  layer: Layer;
  version: number;
  captures: string[];
  /** Whether the vector that came with it still stands for its content. */
  vector: boolean;
  supersedes: string | null;
  supersededBy: string | null;
  author: CallerName;
  decidedBy: CallerName | null;
  /** Who made it searchable first. */
  publishedBy: CallerName | null;
  /** Its texts, oldest first. */
  versions: { version: number; title: string; content: string }[];
  expiry: Expiry;
  /** The state that it expired in, until it is archived. It counts as archived before. */
  due: 'review' | 'published' | null;
}

/** When a memory expires: not at all, some day, or it has expired. */
export type Expiry = 'never' | 'later' | 'past';

export interface ModelEvent {
  kind: string;
  /** Null is the service itself. */
  actor: CallerName | null;
  subjectType: 'capture' | 'batch' | 'memory' | 'query';
  subject: string;
  layer: Layer | null;
}

/** What a complete asks for of some captures. */
export interface Item {
  captures: string[];
  action: ItemAction;
  title: string;
  content: string;
  /** The layer that it names, if it does. */
  named: Layer | null;
  embedded: boolean;
  supersedes: string | null;
}

/** The actions that are played. */
export type PlayedAction = Exclude<MemoryAction, 'keep'>;

export interface Decision {
  action: PlayedAction;
  memory: string;
  version: number | null;
  title: string | null;
  content: string | null;
  supersedes: string | null;
  /** The version to restore. */
  restores: number | null;
  expiry: Expiry | null;
  /** The layer to move it to. */
  target: Layer | null;
}

/** A content of more characters than this makes several chunks, for which one vector does not stand. */
export const ONE_CHUNK = 2000;

/** The state after an action that is allowed. */
const NEXT: Readonly<Record<Exclude<PlayedAction, 'delete' | 'renew' | 'move'>, MemoryState>> = {
  publish: 'published',
  update: 'published',
  restore: 'published',
  discard: 'discarded',
  reopen: 'review',
  unpublish: 'review',
};

export class Model {
  readonly captures: ModelCapture[] = [];
  readonly batches: ModelBatch[] = [];
  readonly memories: ModelMemory[] = [];
  readonly events: ModelEvent[] = [];
  /** The ids of memories that were deleted for good. */
  readonly purged: string[] = [];

  memory(id: string | null): ModelMemory | undefined {
    return this.memories.find((memory) => memory.id === id);
  }

  batch(id: string): ModelBatch | undefined {
    return this.batches.find((batch) => batch.id === id);
  }

  capturesOf(ids: readonly string[]): ModelCapture[] {
    return this.captures.filter(({ id }) => ids.includes(id));
  }

  /** The layers that captures lie in, each once, in the order of the captures. */
  layersOf(ids: readonly string[]): Layer[] {
    return [...new Set(ids.flatMap((id) => this.capturesOf([id])).map(({ layer }) => layer))];
  }

  /** What was first staged by someone under a session and sequence, in whatever layer. */
  firstCapture(
    author: CallerName,
    { session, sequence }: Pick<ModelCapture, 'session' | 'sequence'>,
  ): ModelCapture | undefined {
    if (sequence === null) return undefined;
    return this.captures.find(
      (capture) => capture.author === author && capture.session === session && capture.sequence === sequence,
    );
  }

  stage(capture: Omit<ModelCapture, 'state' | 'batch'>): void {
    this.captures.push({ ...capture, state: 'staged', batch: null });
    const { id, author, layer } = capture;
    this.record('memory.capture', author, 'capture', id, layer);
  }

  /** What someone may claim now: with Full access anything, else their own where they write. */
  claimable(by: CallerName, client: Layer | null): ModelCapture[] {
    const { full, writes } = RIGHTS[by];
    return this.captures.filter(
      ({ state, author, layer }) =>
        state === 'staged' &&
        (full || author === by) &&
        writes.includes(layer) &&
        (client === null || layer === client),
    );
  }

  lend(by: CallerName, id: string, captures: string[]): void {
    this.batches.push({ id, claimer: by, captures, lapsed: false, completed: null });
    for (const capture of this.capturesOf(captures)) Object.assign(capture, { state: 'claimed', batch: id });
    this.recordEach(by, 'memory.claim', { id, captures });
  }

  /** A lease that ran out leaves its captures staged, whether or not the worker came by yet. */
  lapse(batch: ModelBatch): void {
    batch.lapsed = true;
    this.giveBack(batch.id);
  }

  private giveBack(batchId: string): void {
    for (const capture of this.captures) {
      if (capture.state !== 'claimed' || capture.batch !== batchId) continue;
      Object.assign(capture, { state: 'staged', batch: null });
    }
  }

  /**
   * Makes of an item what it asks for.
   * @param id of the memory that it became, null for a discard
   */
  completeItem(batch: ModelBatch, item: Item, id: string | null): void {
    if (item.action === 'discard' || id === null) {
      this.recordEach(batch.claimer, 'memory.discard', { id: batch.id, captures: item.captures });
    } else {
      const layer = item.named ?? this.layersOf(item.captures)[0];
      if (layer === undefined) throw new Error('the model has no such captures');
      this.keep(batch.claimer, item, { id, layer });
    }
    for (const capture of this.capturesOf(item.captures)) capture.state = 'completed';
  }

  /** Ends a loan: what no item named is staged again. */
  close(batch: ModelBatch, items: Item[], results: ConsolidationResult[]): void {
    batch.completed = { items, results };
    this.giveBack(batch.id);
  }

  private keep(by: CallerName, item: Item, { id, layer }: { id: string; layer: Layer }): void {
    const published = item.action === 'publish';
    if (item.supersedes !== null) this.archive(by, item.supersedes, id);
    this.memories.push({
      id,
      state: published ? 'published' : 'review',
      title: item.title,
      content: item.content,
      layer,
      version: 1,
      captures: item.captures,
      vector: item.embedded && item.content.length <= ONE_CHUNK,
      supersedes: item.supersedes,
      supersededBy: null,
      author: by,
      decidedBy: published ? by : null,
      publishedBy: published ? by : null,
      versions: [{ version: 1, title: item.title, content: item.content }],
      expiry: 'never',
      due: null,
    });
    this.record(published ? 'memory.publish' : 'memory.review', by, 'memory', id, layer);
  }

  decide(by: CallerName, decision: Decision): void {
    const { action, memory: id, supersedes } = decision;
    const memory = this.memory(id);
    if (memory === undefined) throw new Error('the model has no such memory');
    if (action === 'delete') {
      this.archive(by, id, null);
      return;
    }
    if (action === 'renew') {
      this.renew(by, memory, decision);
      return;
    }
    if (action === 'move') {
      this.move(by, memory, decision);
      return;
    }
    if (supersedes !== null) this.archive(by, supersedes, id);
    const replaced = this.memory(memory.supersedes);
    const { state } = memory;
    const { title, content } = action === 'restore' ? this.textAt(memory, decision.restores)! : decision;
    memory.state = NEXT[action];
    if (action === 'publish') memory.supersedes = supersedes;
    if (memory.state === 'published') memory.publishedBy ??= by;
    memory.expiry = decision.expiry ?? memory.expiry;
    if (action === 'restore') this.restore(by, memory);
    // Its vector ends with its chunks, or with the decision that it came for.
    if (memory.state !== 'published' || state === 'archived') memory.vector = false;
    if (content !== null && content !== memory.content) Object.assign(memory, { content, vector: false });
    const isNew = action === 'restore' || memory.content !== memory.versions.at(-1)!.content;
    memory.title = title ?? memory.title;
    memory.version += 1;
    memory.decidedBy = by;
    if (isNew || memory.title !== memory.versions.at(-1)!.title) this.addVersion(memory);
    this.record(`memory.${action}`, by, 'memory', id, memory.layer);
    if (action !== 'unpublish') return;
    memory.supersedes = null;
    const isBack =
      replaced?.state === 'archived' && replaced.supersededBy === id && replaced.expiry !== 'past';
    if (isBack) this.bringBack(by, replaced);
  }

  /** A memory in review stays undecided. */
  private renew(by: CallerName, memory: ModelMemory, { expiry }: Decision): void {
    memory.expiry = expiry ?? memory.expiry;
    memory.version += 1;
    if (memory.state !== 'review') memory.decidedBy = by;
    this.record('memory.renew', by, 'memory', memory.id, memory.layer);
  }

  /** A memory in review stays undecided. The event names a client that others may not know, unless it comes from the Team. */
  private move(by: CallerName, memory: ModelMemory, { target }: Decision): void {
    const { layer: from, id } = memory;
    if (target === null || target === from) return;
    memory.layer = target;
    memory.version += 1;
    if (memory.state !== 'review') memory.decidedBy = by;
    this.record('memory.move', by, 'memory', id, from === 'team' ? target : null);
  }

  /** What is published again neither is superseded nor has expired. */
  private restore(by: CallerName, memory: ModelMemory): void {
    if (memory.due !== null) this.settleDue(by, memory);
    memory.supersededBy = null;
    if (memory.expiry === 'past') memory.expiry = 'never';
  }

  /** Archives a memory that has expired. It is no decision. */
  settleDue(by: CallerName | null, memory: ModelMemory): void {
    Object.assign(memory, { due: null, vector: false });
    this.record('memory.expire', by, 'memory', memory.id, memory.layer);
  }

  private addVersion({ versions, version, title, content }: ModelMemory): void {
    versions.push({ version, title, content });
  }

  /** The text that a memory had at a version, if it has had that version. */
  textAt(memory: ModelMemory, version: number | null) {
    if (version === null || version > memory.version) return undefined;
    return memory.versions.findLast((kept) => kept.version <= version);
  }

  /** Publishes a memory again that another one superseded. */
  private bringBack(by: CallerName, memory: ModelMemory): void {
    const version = memory.version + 1;
    Object.assign(memory, { state: 'published', supersededBy: null, vector: false, decidedBy: by, version });
    this.record('memory.restore', by, 'memory', memory.id, memory.layer);
  }

  private archive(by: CallerName, id: string, supersededBy: string | null): void {
    const memory = this.memory(id);
    if (memory === undefined) throw new Error('the model has no such memory');
    Object.assign(memory, { state: 'archived', supersededBy, decidedBy: by, version: memory.version + 1 });
    this.record('memory.delete', by, 'memory', id, memory.layer);
  }

  /** What happens to captures of a batch is told in each layer that they lie in, to who sees that layer. */
  private recordEach(
    by: CallerName,
    kind: string,
    { id, captures }: { id: string; captures: string[] },
  ): void {
    for (const layer of this.layersOf(captures)) this.record(kind, by, 'batch', id, layer);
  }

  record(
    kind: string,
    actor: CallerName | null,
    subjectType: ModelEvent['subjectType'],
    subject: string,
    layer: Layer | null,
  ): void {
    this.events.push({ kind, actor, subjectType, subject, layer });
  }

  /** What a search finds in some layers. */
  published(layers: readonly Layer[]): ModelMemory[] {
    return this.memories.filter(({ state, layer }) => state === 'published' && layers.includes(layer));
  }
}
