/**
 * Workspace files as the contract tells of them, in plain maps. It knows nothing of how the service works: it takes over
 * the revisions that the service gives, and says what must have become of everything.
 */

export const LAYERS = ['team', 'a', 'b'] as const;
/** The Team layer, or one of two clients. */
export type Layer = (typeof LAYERS)[number];
export type ClientName = Exclude<Layer, 'team'>;

export const CALLERS = ['owner', 'anna', 'ben', 'reader'] as const;
/** The Company's Owner, two members of the Team, and a Company Admin who may only read there. */
export type CallerName = (typeof CALLERS)[number];
export type MemberName = 'anna' | 'ben';

/** Names, each with its case-folded form. Names whose folded forms conflict cannot exist together. */
export const NAMES = {
  plain: 'plain',
  other: 'other',
  notes: 'notes',
  'notes/a': 'notes/a',
  'Notes/A': 'notes/a',
  'notes/b/c': 'notes/b/c',
  'straße.md': 'strasse.md',
  'STRASSE.md': 'strasse.md',
  'Straße.md/x': 'strasse.md/x',
} as const;
export type Name = keyof typeof NAMES;
export const ALL_NAMES = Object.keys(NAMES) as Name[];

/** A file of a layer. */
export interface Place {
  layer: Layer;
  name: Name;
}

export interface ModelVersion extends Place {
  version: number;
  /** Null: deleted. */
  content: string | null;
  by: CallerName;
  revision: number;
  pruned: boolean;
}

/** A file about to be pushed. */
export interface ModelFile extends Place {
  base: number;
  content: string | null;
}

const keyOf = ({ layer, name }: Place) => `${layer} ${name}`;

/** Whether two names of one layer cannot both be live. */
function excludes(one: Name, other: Name): boolean {
  const [a, b] = [NAMES[one], NAMES[other]];
  return one !== other && (a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`));
}

export class Model {
  readonly grants: Record<MemberName, Partial<Record<ClientName, 'read' | 'write'>>> = {
    anna: { a: 'write' },
    ben: { a: 'read', b: 'write' },
  };
  readonly archived = new Set<ClientName>();
  private readonly files = new Map<string, ModelVersion[]>();
  /** Of every push that was accepted. */
  readonly revisions: number[] = [0];

  reads(by: CallerName): Layer[] {
    return this.reaches(
      (client) => by === 'owner' || by === 'reader' || this.grants[by][client] !== undefined,
    );
  }

  writes(by: CallerName): Layer[] {
    if (by === 'reader') return [];
    return this.reaches((client) => by === 'owner' || this.grants[by][client] === 'write');
  }

  private reaches(holds: (client: ClientName) => boolean): Layer[] {
    return LAYERS.filter((layer) => layer === 'team' || (!this.archived.has(layer) && holds(layer)));
  }

  /** The last version of a file, deleted or not. */
  current(place: Place): ModelVersion | undefined {
    return this.files.get(keyOf(place))?.at(-1);
  }

  /** The last version of every file of some layers. */
  currents(layers: readonly Layer[]): ModelVersion[] {
    return [...this.files.values()].map((all) => all.at(-1)!).filter(({ layer }) => layers.includes(layer));
  }

  /** A version that can be pulled; without a number the current one. */
  pullable(by: CallerName, place: Place, version: number | undefined): ModelVersion | undefined {
    if (!this.reads(by).includes(place.layer)) return undefined;
    const found =
      version === undefined
        ? this.current(place)
        : this.files.get(keyOf(place))?.find((one) => one.version === version);
    return found === undefined || found.pruned || found.content === null ? undefined : found;
  }

  /** Whether a change cannot be made from the base of a file. */
  isStale(file: ModelFile): boolean {
    const current = this.current(file);
    if (current === undefined) return file.base !== 0;
    return file.base !== current.version && !(current.content === null && file.base === 0);
  }

  /** Live files beside which one of a push cannot stand, of those that the push leaves as they are. */
  inTheWay(file: ModelFile, pushed: readonly ModelFile[]): Place[] {
    if (file.content === null) return [];
    return this.currents([file.layer]).filter(
      (live) =>
        live.content !== null &&
        excludes(live.name, file.name) &&
        !pushed.some((other) => keyOf(other) === keyOf(live)),
    );
  }

  /** Files of the same push beside which one cannot stand. */
  inEachOthersWay(file: ModelFile, pushed: readonly ModelFile[]): ModelFile[] {
    if (file.content === null) return [];
    return pushed.filter(
      (other) => other.content !== null && other.layer === file.layer && excludes(other.name, file.name),
    );
  }

  /** Writes a push that was accepted. */
  write(by: CallerName, pushed: readonly ModelFile[], revision: number): void {
    this.revisions.push(revision);
    for (const { layer, name, content } of pushed) {
      const key = keyOf({ layer, name });
      const all = this.files.get(key) ?? [];
      this.files.set(key, all);
      all.push({ layer, name, content, by, revision, version: all.length + 1, pruned: false });
    }
  }

  /** Prunes old versions, except this many before each current one. */
  prune(kept: number): void {
    for (const all of this.files.values()) {
      for (const one of all) one.pruned ||= one.version < all.length - kept;
    }
  }

  /** Every version, pruned ones too. */
  get versions(): ModelVersion[] {
    return [...this.files.values()].flat();
  }
}
