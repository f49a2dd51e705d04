import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../support/workspace.ts';
import { get, send, wholeList } from './client.ts';

/** A write that the service acknowledged. `key` is in its title, filename, path or session, and is used once. */
export interface Acknowledged {
  readonly kind: 'ingest' | 'capture' | 'push' | 'import';
  readonly key: string;
  readonly text: string;
  /** Id of the record in the response; of a push the path. */
  readonly id: string;
}

/** What became of the acknowledged writes. */
export interface LedgerResult {
  readonly acknowledged: number;
  /** Not there, or with another text. */
  readonly lost: number;
  /** There more than once. */
  readonly doubled: number;
}

/** Path of the workspace file of a key. */
export const pathOf = (key: string) => `team/load/${key}.txt`;

/** The capture of a key. Sent again it returns the first one, so it also tells whether that was stored. */
export const captureOf = (key: string, text: string) => ({ sessionId: key, sequence: 1, summary: text });

/** Texts of at most so many sources are read back one by one; of the others the record must be there. */
const TEXTS_READ = 200;

interface StoredImport {
  filename: string;
  state: string;
  sourceId: string | null;
}

function counted(keys: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** What the service acknowledged, to be looked for once the fault is over. */
export class Ledger {
  readonly #entries: Acknowledged[] = [];

  add(entry: Acknowledged): void {
    this.#entries.push(entry);
  }

  get size(): number {
    return this.#entries.length;
  }

  #of(kind: Acknowledged['kind']): Acknowledged[] {
    return this.#entries.filter((entry) => entry.kind === kind);
  }

  /** Waits until every acknowledged import has ended. Returns the milliseconds that it took, or null after the limit. */
  async untilImported(url: string, limitMs: number, signal: AbortSignal): Promise<number | null> {
    const began = performance.now();
    while (performance.now() - began < limitMs) {
      const { status, json } = await get(url, '/v1/memory/status');
      const { imports } = (status === 200 ? json : {}) as { imports?: { queued: number; running: number } };
      if (imports !== undefined && imports.queued + imports.running === 0) return performance.now() - began;
      await sleep(250, undefined, { signal });
    }
    return null;
  }

  /**
   * Looks for every acknowledged write through the API.
   * @param signal ends the check
   * @throws Error if the service does not respond to it
   */
  async check(url: string, signal: AbortSignal): Promise<LedgerResult> {
    const lost = new Set<string>();
    const sources = (await wholeList(url, '/v1/memory/sources', signal)) as { id: string; title: string }[];
    const titles = counted(sources.map(({ title }) => title));
    const idOf = new Map(sources.map(({ id, title }) => [title, id]));
    for (const { key } of this.#of('ingest')) if (!titles.has(key)) lost.add(key);
    await this.#checkTexts(url, idOf, lost, signal);

    const imports = (await wholeList(url, '/v1/memory/imports', signal)) as StoredImport[];
    const files = new Map(imports.map((item) => [item.filename, item]));
    for (const { key } of this.#of('import')) {
      const stored = files.get(`${key}.txt`);
      // Not done yet is no loss.
      if (stored?.state === 'queued' || stored?.state === 'running') continue;
      if (stored?.state !== 'completed' || idOf.get(key) !== stored.sourceId) lost.add(key);
    }

    const manifest = (await wholeList(url, '/v1/workspace/manifest', signal)) as {
      path: string;
      sha256: string;
    }[];
    const hashes = new Map(manifest.map((item) => [item.path, item.sha256]));
    for (const { key, text } of this.#of('push')) {
      if (hashes.get(pathOf(key)) !== sha256(text)) lost.add(key);
    }
    for (const { key, text, id } of this.#of('capture')) {
      signal.throwIfAborted();
      const body = captureOf(key, text);
      const { status, json } = await send(url, { method: 'POST', path: '/v1/memory/captures', body });
      const { capture } = (json ?? {}) as { capture?: { id: string } };
      if (status !== 200 || capture?.id !== id) lost.add(key);
    }

    const copies = [
      titles,
      counted(imports.map(({ filename }) => filename)),
      counted(manifest.map(({ path }) => path)),
    ];
    const doubled = copies.flatMap((counts) => [...counts.values()]).filter((count) => count > 1).length;
    return { acknowledged: this.size, lost: lost.size, doubled };
  }

  /** Reads texts back, of writes from the beginning to the end. */
  async #checkTexts(
    url: string,
    idOf: ReadonlyMap<string, string>,
    lost: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const written = this.#entries.filter(({ kind, key }) => /ingest|import/.test(kind) && idOf.has(key));
    const step = Math.max(1, Math.ceil(written.length / TEXTS_READ));
    for (const { key, text } of written.filter((_, index) => index % step === 0)) {
      signal.throwIfAborted();
      const { status, failure, json } = await get(url, `/v1/memory/sources/${idOf.get(key)}`);
      if (status !== 200) throw new Error(`a source cannot be read: ${failure ?? status}`);
      const { chunks } = json as { chunks: { text: string }[] };
      if (chunks.map((chunk) => chunk.text).join('\n\n') !== text) lost.add(key);
    }
  }
}
