import { BLOB_STORE } from '../formats/bucket-address.ts';
import type { Setting } from './setting.ts';
import { DATABASE_ADDRESS, integer, text } from './value-types.ts';

/** The settings of the database and of the place of files: a part of `SETTINGS`. */
export const DATABASE_SETTINGS = {
  databaseUrl: {
    variable: 'MEMORY_DATABASE_URL',
    type: DATABASE_ADDRESS,
    default: null,
    isSecret: true,
    description:
      'Address of the PostgreSQL database, with one host or several. The primary among them is used. Without it, the database is embedded.',
  },
  databaseDirectUrl: {
    variable: 'MEMORY_DATABASE_DIRECT_URL',
    type: DATABASE_ADDRESS,
    default: null,
    defaultInWords: 'MEMORY_DATABASE_URL',
    isSecret: true,
    description:
      'Address of the same database without a pooler, for migrations, the queue and its notifications.',
  },
  databaseReplicaUrl: {
    variable: 'MEMORY_DATABASE_REPLICA_URL',
    type: DATABASE_ADDRESS,
    default: null,
    isSecret: true,
    description:
      'Address of replicas of the PostgreSQL database, from which searches, lists and pulls are read. API and worker need it.',
  },
  replicaMaxLagMs: {
    variable: 'MEMORY_REPLICA_MAX_LAG_MS',
    type: integer(100, 3_600_000),
    default: 5000,
    description:
      'How far a replica can be behind, in milliseconds. A replica that is further behind is not read.',
  },
  databasePool: {
    variable: 'MEMORY_DATABASE_POOL',
    // One connection listens, and the queue and everything else need at least one and two.
    type: integer(4, 1000),
    // Ten processes fit into the 100 connections that PostgreSQL accepts as installed, less those that it reserves.
    default: 9,
    description:
      'The most connections of one process to the primary: one listens, and a third of the others are for the queue.',
  },
  dataDir: {
    variable: 'MEMORY_DATA_DIR',
    type: text(4096),
    example: '/var/lib/team-memory/database',
    default: '.data',
    description: 'Folder of the embedded database.',
  },
  blobStore: {
    variable: 'MEMORY_BLOB_STORE',
    type: BLOB_STORE,
    default: 'database',
    description:
      'Where the bytes of workspace files and originals are stored: the database, or a bucket of S3. Credentials are read from the standard variables of AWS.',
  },
} as const satisfies Record<string, Setting>;
