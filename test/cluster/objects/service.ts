import assert from 'node:assert/strict';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Database } from '../../../db/driver/database.ts';
import type { Caller } from '../../support/client/client.ts';
import { callerAt } from '../../support/client/remote.ts';
import { execFileSync } from '../../support/needs/command.ts';
import { createEmptyDatabase } from '../../support/needs/own-database.ts';
import { printedUrl, type ServiceProcess, startMain } from '../../support/needs/process.ts';
import { ROOT } from '../../support/root.ts';
import type { ObjectGateway } from '../servers/radosgw.ts';

/*
 * The service on PostgreSQL and a bucket, as processes, and what the tests ask of it.
 */

/** Of this process alone: the first of several test files to end would stop a server that they share. */
const SERVER = `objects-${process.pid}`;

/** An empty database of PostgreSQL, and what removes it with its server. */
export async function openServerDatabase() {
  const server = execFileSync('.ci/postgres', ['start', SERVER], { cwd: ROOT, encoding: 'utf8' }).trim();
  const own = await createEmptyDatabase(server);
  return {
    url: own.url,
    close: async () => {
      await own.drop();
      // A server that was there before stays.
      if (process.env['MEMORY_TEST_DATABASE_URL'] === undefined)
        execFileSync('.ci/postgres', ['stop', SERVER], { cwd: ROOT });
    },
  };
}

/** The value of MEMORY_BLOB_STORE for a bucket of a gateway. */
export const placeOf = ({ endpoint }: Pick<ObjectGateway, 'endpoint'>, bucket: string) =>
  `s3://${bucket}/files?endpoint=${encodeURIComponent(endpoint)}`;

/** The settings of a process that uses a bucket. No other credential of this machine is found. */
export function environment(gateway: ObjectGateway, databaseUrl: string, bucket: string) {
  return {
    MEMORY_DATABASE_URL: databaseUrl,
    MEMORY_BLOB_STORE: placeOf(gateway, bucket),
    MEMORY_API_HOST: '127.0.0.1',
    MEMORY_API_PORT: '0',
    HOME: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...gateway.credentials,
  };
}

/** A running service, and its Owner in the Team General. */
export interface RunningService {
  process: ServiceProcess;
  owner: Caller;
  fetch(path: string, headers?: Record<string, string>): Promise<Response>;
}

/** Starts the service, and waits until it answers. */
export async function startService(env: Record<string, string>): Promise<RunningService> {
  const service = startMain('start.ts', { env });
  const url = await printedUrl(service);
  const { teams } = await callerAt(url).api.getSession();
  const owner = callerAt(url).with({ 'memory-team': teams.find(({ name }) => name === 'General')?.id ?? '' });
  return {
    process: service,
    owner,
    fetch: (path, more = {}) => fetch(url + path, { headers: { ...owner.headers, ...more } }),
  };
}

/** Asserts that files have these contents. */
export async function assertContents(
  { owner }: RunningService,
  expected: Readonly<Record<string, Buffer>>,
): Promise<void> {
  let remaining = Object.keys(expected);
  while (remaining.length > 0) {
    const asked = remaining.slice(0, 200).map((path) => ({ path }));
    const { files, missing } = await owner.api.pullFiles({ files: asked });
    assert.deepEqual(missing, []);
    for (const { path, contentBase64 } of files) {
      assert.ok(expected[path]?.equals(Buffer.from(contentBase64, 'base64')), path);
    }
    const read = new Set(files.map(({ path }) => path));
    remaining = remaining.filter((path) => !read.has(path));
  }
}

/** How many contents have a place in the database, and in the bucket. */
export async function places(database: Database): Promise<{ database: number; bucket: number }> {
  const [row] = await database.query<{ database: number; bucket: number }>(
    'select count(content) as database, count(object_id) as bucket from memory.workspace_blob',
  );
  assert.ok(row);
  return row;
}

/** The keys of all objects of a bucket. */
export async function listKeys({ client }: Pick<ObjectGateway, 'client'>, bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for (let StartAfter: string | undefined; ; StartAfter = keys.at(-1)) {
    const { Contents = [], IsTruncated } = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, StartAfter }),
    );
    keys.push(...Contents.map(({ Key = '' }) => Key));
    if (IsTruncated !== true) return keys;
  }
}

/** Reads an object without the service. */
export async function readObject(
  { client }: Pick<ObjectGateway, 'client'>,
  Bucket: string,
  Key: string,
): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

/** Writes an object without the service. */
export async function writeObject(
  { client }: Pick<ObjectGateway, 'client'>,
  Bucket: string,
  Key: string,
  Body: Buffer,
): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket, Key, Body }));
}
