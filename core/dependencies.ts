import type { Database } from '../db/driver/database.ts';
import type { BlobStore } from '../db/queries/workspace/contents.ts';
import type { JobQueue } from '../db/queue/queue.ts';
import type { Config } from '../shared/config.ts';
import type { Logger } from '../shared/logger.ts';
import type { PasswordHasher } from '../shared/passwords.ts';

/** What the app is built from. It opens and closes none of these, and reads no environment. */
export interface Dependencies {
  config: Config;
  database: Database;
  /** Contents of workspace files. */
  blobs: BlobStore;
  queue: JobQueue;
  logger: Logger;
  passwords: PasswordHasher;
}
