/** The settings of the engine's thread. */
export interface EngineSetup {
  /** Folder of the database, or null for a database in memory. */
  folder: string | null;
  /** A snapshot to start from, as returned by `dump`. Only for a database in memory. */
  snapshot?: Blob;
  /** How much of the log is written before a checkpoint. */
  checkpointBytes: number;
}

/** A request to the thread: messages of PostgreSQL's protocol, `dump` for a snapshot of all files, or `close`. */
export type Asked = Uint8Array<ArrayBuffer> | 'dump' | 'close';

/** Copies parts into one new buffer, which can be transferred to another thread. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let length = 0;
  for (const part of parts) {
    joined.set(part, length);
    length += part.length;
  }
  return joined;
}
