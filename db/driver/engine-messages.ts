/** What the engine starts from. */
export interface EngineSetup {
  /** Folder of the database, or null to keep it in memory. */
  folder: string | null;
  /** A snapshot to start from, as `dump` makes it. Only in memory. */
  snapshot?: Blob;
}

/** What the thread is asked: messages of PostgreSQL's protocol, a snapshot of all files, or to close. */
export type Asked = Uint8Array<ArrayBuffer> | 'dump' | 'close';
