import { parseArgs } from 'node:util';
import { moveContents } from '../db/objects/move-contents.ts';
import { startBackend } from '../db/startup/startup.ts';
import { ConfigError, readConfig } from '../shared/config.ts';
import { BLOB_STORE } from '../shared/formats/bucket-address.ts';
import { failStartup } from '../shared/lifecycle.ts';
import { createLogger } from '../shared/logger.ts';
import { loadEnvironmentFile } from '../shared/settings/environment.ts';
import { faultOf } from '../shared/settings/read-settings.ts';

const HELP = `Moves the bytes of workspace files and originals between the database and the bucket.

Usage: npm run -s move-blobs -- --to s3|database

  --to     s3: to the bucket of MEMORY_BLOB_STORE; database: from it to the database
  --help   this text

The service can run during the move if it is on PostgreSQL; stop it if its database is embedded. MEMORY_BLOB_STORE must name the
bucket in both directions, here and in all processes of the service. Each file is verified by its SHA-256 in the new place
before the old one is deleted. A move that was interrupted continues when the command is run again. Progress is printed on
standard error. The exit code is 1 if a file could not be moved.`;

const MEGABYTE = 1024 * 1024;

/** Reads the target of the arguments; null if help was asked for. */
function readTarget(): 's3' | 'database' | null {
  const { values } = parseArgs({
    options: { to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) return null;
  if (values.to === 's3' || values.to === 'database') return values.to;
  throw new Error('--to: expected s3 or database (see --help)');
}

/** Moves all contents, and prints what happens. Returns the exit code. */
async function main(): Promise<number> {
  const to = readTarget();
  if (to === null) {
    console.log(HELP);
    return 0;
  }
  loadEnvironmentFile();
  const config = readConfig(process.env);
  if (config.blobStore === 'database') {
    throw new ConfigError([
      faultOf('MEMORY_BLOB_STORE', 'the bucket that files are moved to or from', BLOB_STORE.example),
    ]);
  }
  const { database, blobs } = await startBackend(
    config,
    createLogger('error', 'move-blobs', config.logFormat),
  );
  try {
    if (blobs.bucket === undefined) throw new Error('the bucket was not opened');
    let damaged: string[] = [];
    let moved = 0;
    for await (const progress of moveContents(database, blobs.bucket, to)) {
      ({ damaged, moved } = progress);
      const megabytes = Math.round(progress.bytes / MEGABYTE);
      console.error(`${moved} of ${progress.total} moved, ${megabytes} MiB`);
    }
    for (const name of damaged) console.error(`${name}: damaged or missing, left where it is`);
    const place = to === 's3' ? 'in the bucket' : 'in the database';
    console.log(`${moved} moved, ${damaged.length} failed; new files are stored ${place}`);
    return damaged.length === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
}

process.exit(await main().catch(failStartup));
