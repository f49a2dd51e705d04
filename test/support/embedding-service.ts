import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Database } from '../../db/driver/database.ts';
import { resolvePrincipal } from '../../db/startup/bootstrap.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import { openOwnTestApp } from './own-service.ts';
import { type Caller } from './team.ts';
import { TEST_MODEL, writeTestModel } from './test-model.ts';

export type EmbeddingService = Awaited<ReturnType<typeof openOwnTestApp>> & { env: Record<string, string> };

/** What goes with an embedding of the small model. */
export const SMALL_CLAIM = { embeddingModel: TEST_MODEL, embeddingDim: EMBEDDING_DIM };

/**
 * The HTTP app of a service that makes vectors itself by the small model, on a database of the test file's own. No
 * worker runs in it.
 */
export async function openEmbeddingService(
  names: readonly string[] = [TEST_MODEL],
): Promise<EmbeddingService> {
  const modelDir = await mkdtemp(join(tmpdir(), 'team-memory-models-'));
  for (const name of names) await writeTestModel(modelDir, { name });
  const env = {
    MEMORY_API_SERVER_EMBEDDINGS: '1',
    MEMORY_EMBEDDING_MODEL: names[0] ?? TEST_MODEL,
    MEMORY_MODEL_DIR: modelDir,
  };
  const service = await openOwnTestApp(env);
  after(() => rm(modelDir, { recursive: true, force: true }));
  await adopt(service.database, service.config.embeddingModel);
  // Nothing is there from before.
  await service.database.query('update memory.deployment set swept_at = now()');
  return { ...service, env };
}

/** Does what a start with this model does. */
export async function adopt(database: Database, embeddingModel: string): Promise<void> {
  await resolvePrincipal(database, {
    companyName: 'Company',
    teamName: 'General',
    ownerEmail: 'owner@localhost',
    embeddingModel,
  });
}

/** Stores chunks without a vector, as one source. */
export async function storeTexts(
  caller: Caller,
  texts: readonly string[],
  { clientId, externalId }: { clientId?: string | undefined; externalId?: string } = {},
): Promise<string> {
  const chunks = texts.map((text) => ({ text }));
  const stored = { title: 'A document', chunks, scope: { clientId }, externalId };
  return (await caller.api.ingestSource(stored)).source.id;
}

/** So many texts, each like no other. */
export function numbered(count: number, name = 'chunk'): string[] {
  return Array.from({ length: count }, (_, n) => `${name} ${n} ${newId()}`);
}

/** A chunk with what is known of its vector. */
export interface ChunkVector {
  id: string;
  text: string;
  models: string[];
  marked: boolean;
  leased: boolean;
  refused: boolean;
  batchId: string | null;
}

/** The chunks of a Team, the oldest first. */
export async function chunkVectors(
  { database }: Pick<EmbeddingService, 'database'>,
  { teamId }: { teamId: string },
): Promise<ChunkVector[]> {
  return database.query<ChunkVector>(
    `select c.id, c.text, p.chunk_id is not null as marked, p.leased_until > now() is true as leased,
            p.refused_at is not null as refused, p.batch_id as "batchId",
            array(select e.model from memory.chunk_embedding e
                   where e.team_id = c.team_id and e.chunk_id = c.id order by 1) as models
       from memory.chunk c
       left join memory.embedding_pending p on p.team_id = c.team_id and p.chunk_id = c.id
      where c.team_id = $1 order by c.id`,
    [teamId],
  );
}

/** Every chunk of the Team has one vector, of this model, and waits for none. */
export async function assertEmbedded(
  service: Pick<EmbeddingService, 'database'>,
  company: { teamId: string },
  model = TEST_MODEL,
): Promise<void> {
  const wanting = (await chunkVectors(service, company)).filter(
    ({ models, marked }) => marked || models.length !== 1 || models[0] !== model,
  );
  assert.deepEqual(wanting, []);
}

/** How many jobs of a queue wait or run for a Team. */
export async function jobsOf(
  { database }: Pick<EmbeddingService, 'database'>,
  { teamId }: { teamId: string },
  queue = 'embed.chunks',
): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from pgboss.job where name = $1 and data->>'teamId' = $2 and state < 'completed'`,
    [queue, teamId],
  );
  return row?.n ?? 0;
}

/** The text of a chunk, of the text that is embedded: that begins with the title and the headings. */
export const bodyOf = (embedded: string) => embedded.slice(embedded.indexOf('\n\n') + 2);
