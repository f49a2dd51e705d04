import { recordWorker } from '../../db/queries/status.ts';
import { newId } from '../../shared/ids.ts';
import { QUEUES } from '../../shared/queues.ts';
import type { SignedIn, TestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { beginRun, failRun, importFiles } from '../support/dashboard.ts';
import { addMemories } from '../support/memories.ts';
import { along, CLAIM } from '../support/team.ts';

/** Files that failed, as a Team has them. The newest come last. */
const FAILED = [
  {
    filename: 'Board minutes 2019 (scan).txt',
    error: { code: 'no_text', message: 'The file holds no text.' },
    attempts: 1,
  },
  {
    filename: 'export-crm-2024-03-vollständig-alle-mandanten-und-notizen-ungekürzt.txt',
    error: {
      code: 'too_slow',
      message: 'Reading the file took longer than 120 seconds: divide it, or save it in a simpler form.',
    },
    attempts: 3,
  },
  {
    filename: 'تقرير الربع الثالث.md',
    error: {
      code: 'invalid_encoding',
      message: 'The file is not in UTF-8 and does not say what it is in: save it as UTF-8.',
    },
    attempts: 2,
  },
  {
    filename: 'customer-list.txt',
    error: {
      code: 'not_text',
      message: 'The file holds binary data, not text: import it under its own type.',
    },
    attempts: 1,
  },
];
const QUEUED = ['Onboarding guide.md', 'Q3 pricing.md', 'Support playbook.md', 'Interview notes 14.txt'];

/** How a busy hour looks: a heap of files comes in, is worked off, and some come after. */
function depthAt(minute: number): number {
  const heap = Math.max(0, 180 - Math.abs(minute - 22) * (minute < 22 ? 14 : 5.2));
  const later = minute > 50 ? 9 : 0;
  return Math.round(heap + later + 6 * Math.abs(Math.sin(minute * 1.7)));
}

async function fillHour({ database }: Pick<TestApp, 'database'>): Promise<void> {
  for (const [queue, weight] of Object.entries({
    'import.process': 1,
    'keywords.count': 0.1,
    'audit.seal': 0.05,
  })) {
    for (let minute = 0; minute < 60; minute += 1) {
      const depth = Math.round(depthAt(minute) * weight);
      const done = Math.round((depth === 0 ? 0 : 9 + 5 * Math.sin(minute / 4) + (minute % 3)) * weight);
      await database.query(
        `insert into pgboss.queue_stats (name, ready_count, active_count, completed_delta, failed_delta,
                                          delta_seconds, delta_on, captured_on)
         values ($1, $2, $3, $4, $5, 60, now() - make_interval(mins => $6, secs => 10),
                 -- There is no place yet for the day before this one.
                 greatest(now() - make_interval(mins => $6), date_trunc('day', now(), 'UTC')))`,
        [
          queue,
          depth,
          Math.min(2, depth),
          done,
          queue === 'import.process' && minute % 17 === 9 ? 3 : 0,
          59 - minute,
        ],
      );
    }
  }
}

/** Has two workers say that they live, in the place of any before. */
export async function setWorkers({ database }: Pick<TestApp, 'database'>): Promise<void> {
  await database.query('delete from memory.worker');
  for (const rssBytes of [231_400_000, 188_700_000]) {
    await recordWorker(database, { id: newId(), queues: Object.keys(QUEUES), rssBytes, embedder: null });
  }
}

/** Ends every worker, and gives the runs of the Team back. */
export async function endWorkers({ database }: Pick<TestApp, 'database'>, teamId: string): Promise<void> {
  await database.query('delete from memory.worker');
  await database.query(
    `update memory.import set state = 'queued', progress_stage = null, progress_percent = null
      where team_id = $1 and state = 'running'`,
    [teamId],
  );
}

/** Imports of every state but running, and two that run. */
async function addImports(service: TestApp, company: SignedIn): Promise<void> {
  const { database } = service;
  const { teamId, ownerId } = company;
  await database.query(
    `insert into memory.import (team_id, layer_id, id, state, filename, title, media_type, bytes, attempts, created_by)
     select $1, $1, id, 'completed', 'file.md', 'file', 'text/markdown', 20000, 1, $2 from unnest($3::uuid[]) as id`,
    [teamId, ownerId, Array.from({ length: 1348 }, newId)],
  );
  for (const [index, { filename, error, attempts }] of FAILED.entries()) {
    const [made] = await importFiles(company, [{ filename, text: 'x'.repeat(9000 * (index + 1) ** 3) }]);
    if (made === undefined) continue;
    await failRun(service, company, made.id, error);
    await database.query(
      `update memory.import set attempts = $3, updated_at = now() - make_interval(mins => $4),
              payload_pruned_at = case when $5 then now() - interval '2 days' end
        where team_id = $1 and id = $2`,
      [teamId, made.id, attempts, index === 0 ? 45_000 : 400 - index * 131, index === 0],
    );
  }
  await importFiles(
    company,
    QUEUED.map((filename) => ({ filename, text: filename })),
  );
  const running = await importFiles(company, [
    { filename: 'Due diligence, data room index.md', text: 'a' },
    { filename: 'Engagement letters 2011–2024.txt', text: 'b' },
  ]);
  for (const [index, stage] of (['storing', 'reading'] as const).entries()) {
    await beginRun(service, company, running[index]!.id, { stage, percent: 38 + 34 * index });
  }
}

/**
 * Fills a Team with what a day of work leaves, to be looked at.
 * @param words of a text that has no embeddings yet: some 150 make a chunk
 */
export async function setScene(service: TestApp, company: SignedIn, words: number): Promise<void> {
  const { database } = service;
  const { companyId, teamId, ownerId } = company;
  await database.query(`update identity.company set name = 'Harbour Legal' where id = $1`, [companyId]);
  await database.query(`update identity.team set name = 'Client services' where id = $1`, [teamId]);
  await database.query(`update identity.account set name = 'Noor Haddad' where id = $1`, [ownerId]);
  await addImports(service, company);
  const text = Array.from({ length: words }, (_, index) => `word${(index * 7919) % 977}`).join(' ');
  await company.ask.ingestSource({ title: 'A long text', text });
  const items = Array.from({ length: 9 }, () => ({}));
  await addMemories(company, 'published', items);
  await addMemories(company, 'review', items.slice(5));
  for (let n = 0; n < 7; n += 1) await stageCapture(company, { sessionId: `session ${n}` });
  await fillHour(service);
}

/** Makes embeddings for chunks that have none, as a program does. */
export async function embedSome(company: SignedIn, limit: number): Promise<void> {
  const claim = await company.ask.claimEmbeddings({ limit });
  const { batch } = claim.json<{ batch: { id: string; chunks: { chunkId: string }[] } | null }>();
  if (batch === null) return;
  const embeddings = batch.chunks.map(({ chunkId }, index) => ({ chunkId, embedding: along(index) }));
  await company.ask.completeEmbeddings({ batchId: batch.id, embeddings, ...CLAIM });
}
