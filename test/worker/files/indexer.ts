import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Dependencies } from '../../../core/dependencies.ts';
import { LostJobError } from '../../../db/queue/queue.ts';
import { readConfig } from '../../../shared/config.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import type { Payload, QueueName } from '../../../shared/queues.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import { openReadingPool } from '../../../worker/sandbox/reading-pool.ts';
import type { SignedIn, TestApp } from '../../support/app.ts';
import { listSources } from '../../support/source-library.ts';
import { type Caller } from '../../support/team.ts';
import { type Workspace, workspaceOf } from '../../support/workspace.ts';

/** A version that waits to be indexed, as the payload of its job. */
export type PendingVersion = Payload<'file.index'>;

/** What one run of a job differs in. */
export interface RunOptions {
  env?: Record<string, string>;
  blobs?: Dependencies['blobs'];
  /** Another worker has the job when this one ends. */
  lost?: boolean;
  stopping?: AbortSignal;
}

/** What a run has told the queue. */
export interface Told {
  completed: QueueName[];
  released: QueueName[];
  enqueued: { queue: QueueName; data: object }[];
}

/** Runs jobs of workspace files by the worker's own handlers, with a queue that only notes what it is told. */
export function openIndexer(service: TestApp & Dependencies) {
  const { database } = service;
  const pool = openReadingPool({ seconds: 60, megabytes: 512 });
  after(() => pool.close());

  async function run(queue: QueueName, data: object, options: RunOptions = {}): Promise<Told> {
    const told: Told = { completed: [], released: [], enqueued: [] };
    const config = readConfig({ MEMORY_API_TOKEN: 'test-token-of-the-service', ...options.env });
    const context = {
      config,
      database,
      blobs: options.blobs ?? service.blobs,
      logger: createLogger('silent', 'test'),
      queue: {
        complete: async (_: unknown, name: QueueName) => {
          if (options.lost === true) throw new LostJobError('taken over');
          told.completed.push(name);
        },
        release: async (_: unknown, name: QueueName) => void told.released.push(name),
        enqueue: async (_: unknown, name: QueueName, payload: object) =>
          void told.enqueued.push({ queue: name, data: payload }),
        enqueueLast: async (_: unknown, name: QueueName, _owner: object, payloads: readonly object[]) =>
          void told.enqueued.push(...payloads.map((payload) => ({ queue: name, data: payload }))),
      },
      readingPool: pool,
      stopping: options.stopping ?? new AbortController().signal,
    };
    const job = { id: newId(), retryCount: 0, data, signal: new AbortController().signal };
    await HANDLERS[queue](job as never, context as never);
    return told;
  }

  /** The versions of the Team that wait, the oldest first. */
  const pending = ({ companyId, teamId }: Pick<SignedIn, 'companyId' | 'teamId'>) =>
    database.query<PendingVersion>(
      `select $2::uuid as "companyId", team_id as "teamId", updated_by as "userId", layer_id as "layerId",
              id as "versionId", updated_by_token as "tokenId"
         from memory.workspace_version where team_id = $1 and indexed = 'pending' order by id`,
      [teamId, companyId],
    );

  return {
    run,
    pending,
    /** A Company and the workspace of its Owner. */
    open: async () => {
      const company = await service.company();
      return { company, owner: workspaceOf(service.app, company.headers) };
    },
    /** Indexes all versions of the Team that wait. */
    indexAll: async (company: Pick<SignedIn, 'companyId' | 'teamId'>, options: RunOptions = {}) => {
      for (const data of await pending(company)) {
        const { completed } = await run('file.index', data, options);
        assert.deepEqual(completed, ['file.index']);
      }
    },
  };
}

/** Pushes files, which must be accepted. */
export async function push(workspace: Workspace, ...files: object[]): Promise<void> {
  const { status, code } = await workspace.push(files);
  assert.equal(status, 200, code);
}

/** What the manifest shows about each path. */
export async function states(workspace: Workspace, since?: number): Promise<Record<string, string>> {
  const items = await workspace.wholeManifest(since === undefined ? {} : { since });
  return Object.fromEntries(items.map(({ path, indexed }) => [path, indexed]));
}

/** The texts of the files that a search finds, of every layer that the caller reads. */
export async function searchFiles(caller: Caller, query: string): Promise<string[]> {
  return (
    await caller.api.searchMemory({
      query,
      embeddingMode: 'keyword',
      scope: { include: ['team', 'client'] },
      kinds: ['file'],
    })
  ).hits.map(({ text }) => text);
}

/** The sources of files that the caller sees. */
export function fileSources(caller: Caller): Promise<Source[]> {
  return listSources(caller, '?kind=file');
}

/** How many sources and chunks of the Team are stored, whether or not anybody sees them. */
export async function countStored({ database }: Pick<TestApp, 'database'>, teamId: string) {
  const [row] = await database.query<{ sources: number; chunks: number }>(
    `select (select count(*)::int from memory.source where team_id = $1) as sources,
            (select count(*)::int from memory.chunk where team_id = $1) as chunks`,
    [teamId],
  );
  return row;
}
