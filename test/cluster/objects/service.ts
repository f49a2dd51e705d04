import assert from 'node:assert/strict';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { PullResponse, PushedFile, PushResponse } from '../../../shared/schemas/workspace.ts';
import { execFileSync } from '../../support/needs/command.ts';
import { createEmptyDatabase } from '../../support/needs/own-database.ts';
import { API_TOKEN, printedUrl, type ServiceProcess, startMain } from '../../support/needs/process.ts';
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

/** An answer of the service. `body` is null if it has none that is JSON. */
export interface Answer<T> {
  status: number;
  body: T & { code?: string; detail?: string };
}

/** A running service, as its Owner asks it. */
export interface RunningService {
  process: ServiceProcess;
  url: string;
  ask<T = Record<string, never>>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
  push(
    files: readonly PushedFile[],
    headers?: Record<string, string>,
    key?: string,
  ): Promise<Answer<PushResponse>>;
  /** The contents of files by their paths, in base64. */
  pull(paths: readonly string[], headers?: Record<string, string>): Promise<Answer<PullResponse>>;
  fetch(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
}

/** Starts the service, and waits until it answers. */
export async function startService(env: Record<string, string>): Promise<RunningService> {
  const service = startMain('start.ts', { env });
  const url = await printedUrl(service);
  const authorization = `Bearer ${API_TOKEN}`;
  const session = await fetch(`${url}/v1/auth/session`, { headers: { authorization } });
  const { teams } = (await session.json()) as { teams: { id: string; name: string }[] };
  const own = { authorization, 'memory-team': teams.find(({ name }) => name === 'General')?.id ?? '' };
  const ask: RunningService['ask'] = async <T>(path: string, body?: object, more = {}) => {
    const answer = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...own, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as Answer<T>['body'] };
  };
  return {
    process: service,
    url,
    ask,
    push: (files, more = {}, key = crypto.randomUUID()) =>
      ask<PushResponse>('/v1/workspace/push', { files }, { ...more, 'idempotency-key': key }),
    pull: (paths, more) =>
      ask<PullResponse>('/v1/workspace/pull', { files: paths.map((path) => ({ path })) }, more),
    fetch: (path, more = {}, method = 'GET') => fetch(url + path, { method, headers: { ...own, ...more } }),
  };
}

/** Asserts that files have these contents. */
export async function assertContents(
  service: RunningService,
  expected: Readonly<Record<string, Buffer>>,
  headers?: Record<string, string>,
): Promise<void> {
  let remaining = Object.keys(expected);
  while (remaining.length > 0) {
    const { status, body } = await service.pull(remaining.slice(0, 200), headers);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.missing, []);
    for (const { path, contentBase64 } of body.files) {
      assert.ok(expected[path]?.equals(Buffer.from(contentBase64, 'base64')), path);
    }
    const read = new Set(body.files.map(({ path }) => path));
    remaining = remaining.filter((path) => !read.has(path));
  }
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
