import assert from 'node:assert/strict';
import { newId } from '../../../shared/ids.ts';
import type { QueueName } from '../../../shared/queues.ts';
import type { Capture } from '../../../shared/schemas/captures.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import { accepted, asks, pick, seenCapture, withoutBatch } from './asking.ts';
import { LAYERS, RIGHTS } from './model.ts';
import { playClaim, playComplete, playLapse, playRepeat } from './play-batches.ts';
import { playDecide } from './play-decisions.ts';
import { archiveDue, playExpire } from './play-expiry.ts';
import { playPurge } from './play-purge.ts';
import { refusalsOfSourceArchive, refusalsOfWrite } from './refusals.ts';
import type { Step, StepOf } from './steps.ts';
import { scopeFor, type World } from './world.ts';

/** Does a step, and compares its answer with the model. A step about a missing record does nothing. */
export async function play(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'capture':
      return capture(world, step);
    case 'claim':
      return playClaim(world, step);
    case 'lapse':
      return playLapse(world, step);
    case 'work':
      return work(world);
    case 'complete':
      return playComplete(world, step);
    case 'repeat':
      return playRepeat(world, step);
    case 'decide':
      return playDecide(world, step);
    case 'purge':
      return playPurge(world, step);
    case 'expire':
      return playExpire(world, step);
    case 'archive source':
      return archiveSource(world, step);
  }
}

async function capture(world: World, { by, session, sequence, ...step }: StepOf<'capture'>): Promise<void> {
  const { model, words } = world;
  const within = step.astray ? [] : RIGHTS[by].writes;
  const layer = pick(within, LAYERS.indexOf(step.layer)) ?? step.layer;
  const summary = words.short();
  const answer = await asks(world, by, `captures ${session} ${sequence} in ${layer}`, {
    method: 'POST',
    url: '/v1/memory/captures',
    body: {
      sessionId: session,
      summary,
      scope: scopeFor(world, layer),
      ...(sequence === null ? {} : { sequence }),
    },
  });
  const first = model.firstCapture(by, { session, sequence });
  if (!accepted(answer, refusalsOfWrite(by, layer), first === undefined ? 201 : 200)) return;
  const { capture: seen } = answer.json<{ capture: Capture }>();
  if (first === undefined) {
    assert.deepEqual(model.capturesOf([seen.id]), [], 'a new capture has an id of its own');
    model.stage({ id: seen.id, author: by, layer, session, sequence, summary });
  }
  assert.deepEqual(seenCapture(world, seen), withoutBatch(first ?? model.captures.at(-1)!));
}

/**
 * Some of what the worker does unasked, one job after the other: what nobody sees, except in the audit trail. Other jobs need
 * not be here.
 */
const UPKEEP: QueueName[] = [
  'records.expire',
  'captures.release',
  'keywords.count',
  'upkeep.prune',
  'audit.seal',
];

async function work(world: World): Promise<void> {
  const { service, company, model } = world;
  const { companyId, teamId, ownerId: userId } = company;
  const stopping = new AbortController().signal;
  const context = { ...service, stopping, queue: { complete: async () => {}, enqueue: async () => {} } };
  for (const queue of UPKEEP) {
    const data = queue === 'keywords.count' ? { companyId, teamId, userId } : {};
    await HANDLERS[queue]({ id: newId(), data } as never, context as never);
  }
  world.told.push('the worker does its upkeep');
  archiveDue(model);
  const [lapsed] = await service.database.query<{ n: number }>(
    `select count(*) as n from memory.capture
      where team_id = $1 and state = 'claimed' and leased_until <= now()`,
    [teamId],
  );
  assert.equal(lapsed?.n, 0, 'the worker stages again what was lent and not completed');
}

/** Tries to archive the source of a memory behind its back. */
async function archiveSource(world: World, step: StepOf<'archive source'>): Promise<void> {
  const { model, sources } = world;
  const memory = pick(
    model.memories.filter(({ publishedBy }) => publishedBy !== null),
    step.memory,
  );
  if (memory === undefined) return;
  const answer = await asks(world, step.by, `archives the source of a memory in ${memory.layer}`, {
    method: 'DELETE',
    url: `/v1/memory/sources/${sources.get(memory.id)}`,
  });
  const refusals = refusalsOfSourceArchive(step.by, memory);
  assert.ok(!accepted(answer, refusals), `${step.by}, who has ${JSON.stringify(RIGHTS[step.by])}, may not`);
}
