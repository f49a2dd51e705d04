import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Database, transaction } from '../../db/driver/database.ts';
import { attachOriginal } from '../../db/queries/sources/lists.ts';
import { type BlobStore, databaseBlobs } from '../../db/queries/workspace/contents.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { SignedIn, TestApp } from './app.ts';
import { doJob } from './do-job.ts';
import { readImport } from './import-records.ts';
import { type Caller } from './team.ts';

/** A file to import. */
export interface TestFile {
  filename: string;
  content: Buffer;
  mediaType?: string;
  clientId?: string | null;
  expiresAt?: string;
}

/** A text file with a word in it. */
export function textFile(filename: string, word: string): TestFile {
  return { filename, content: Buffer.from(`${word} was seen near the harbour.\n`) };
}

export const sha256Of = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/**
 * Uploads a file, and returns its import and a function that runs its job.
 * @param company with `tokenId` if the caller is an agent token
 */
export async function uploaded(
  service: TestApp,
  company: SignedIn & { tokenId?: string },
  { filename, content, mediaType, clientId = null, expiresAt }: TestFile,
  env: Record<string, string> = {},
) {
  const item = { filename, mediaType, expiresAt, contentBase64: content.toString('base64') };
  const body = { items: [item], ...(clientId !== null && { scope: { clientId } }) };
  const { imports } = await company.api.importFiles(body, { 'idempotency-key': crypto.randomUUID() });
  const importId = imports[0]!.id;
  const { companyId, teamId, ownerId: userId, tokenId = null } = company;
  const data = { companyId, teamId, userId, tokenId, layerId: clientId ?? teamId, importId };
  const run = (blobs?: BlobStore) => doJob(service.database, 'import.process', data, env, blobs);
  return { importId, run };
}

/** Imports a file as the worker does, and returns the id of its source. */
export async function imported(
  service: TestApp,
  company: SignedIn,
  file: TestFile,
  env: Record<string, string> = {},
): Promise<string> {
  const { importId, run } = await uploaded(service, company, file, env);
  await run();
  const { sourceId, state, error } = await readImport(company, importId);
  assert.equal(state, 'completed', JSON.stringify(error));
  return sourceId ?? '';
}

export const originalUrl = (sourceId: string) => `/v1/memory/sources/${sourceId}/original`;

/** Asks for the original of a source. */
export function download(
  { app }: Pick<TestApp, 'app'>,
  caller: Caller,
  sourceId: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
) {
  return app.inject({ method, url: originalUrl(sourceId), headers: { ...caller.headers, ...headers } });
}

/** What a source says of its original. */
export async function originalOf(caller: Caller, sourceId: string) {
  return (await caller.api.getSource(sourceId)).original;
}

/** Where originals and contents are stored for a Team and its Company: the hashes. */
export async function storedOriginals(
  { database }: Pick<TestApp, 'database'>,
  { companyId, teamId }: { companyId: string; teamId: string },
): Promise<{ originals: string[]; contents: string[] }> {
  const hashes = async (statement: string, id: string) =>
    (await database.query<{ sha256: string }>(statement, [id])).map(({ sha256 }) => sha256).sort();
  return {
    originals: await hashes(
      `select encode(sha256, 'hex') as sha256 from memory.original where team_id = $1`,
      teamId,
    ),
    contents: await hashes(
      `select encode(sha256, 'hex') as sha256 from memory.workspace_blob where company_id = $1`,
      companyId,
    ),
  };
}

/** Prunes contents as the worker does, as if so many minutes had passed since nothing referred to them. */
export async function pruneAfter(
  { database }: Pick<TestApp, 'database'>,
  { companyId }: { companyId: string },
  minutes: number,
): Promise<void> {
  await database.query(
    `update memory.workspace_blob set waiting_since = waiting_since - make_interval(mins => $2)
      where company_id = $1 and waiting_since is not null`,
    [companyId, minutes],
  );
  await doJob(database, 'workspace.prune', {});
}

/** Makes a source one that was imported from a file, in the database. */
export async function giveOriginal(
  database: Database,
  scope: TeamScope,
  sourceId: string,
  content = Buffer.from('An original'),
): Promise<void> {
  const sha256 = sha256Of(content);
  await databaseBlobs(database).store(scope, [{ sha256, content }]);
  await database.query(`update memory.source set kind = 'import' where id = $1`, [sourceId]);
  const original = { sha256, bytes: content.length, mediaType: 'text/plain' };
  assert.ok(await transaction(database, scope, (tx) => attachOriginal(tx, sourceId, original)));
}
