import assert from 'node:assert/strict';
import { newId } from '../../../shared/ids.ts';
import type { Capture } from '../../../shared/schemas/captures.ts';
import type { Memory } from '../../../shared/schemas/memories.ts';
import { type Answer, type Method, via } from '../../support/client/client.ts';
import { outcome } from '../../support/sign-in.ts';
import type { CallerName, Expiry, ModelCapture, ModelMemory } from './model.ts';
import type { Refusals } from './refusals.ts';
import { callerOf, layerOf, type World } from './world.ts';

/** Asks a route as someone, and notes what was asked and answered. */
export async function asks(
  world: World,
  by: CallerName,
  what: string,
  request: { method: Method; url: string; body?: object },
): Promise<Answer> {
  const answer = await via(world.service, world.players[by]).send(request.method, request.url, request.body);
  // `outcome` reads the body, which an answer without content does not have.
  world.told.push(`${by} ${what} -> ${answer.body === '' ? answer.statusCode : outcome(answer)}`);
  return answer;
}

/** Holds an answer against what the model says of it, and tells whether the request was accepted. */
export function accepted(answer: Answer, refusals: Refusals, status = 200): boolean {
  if (refusals.length === 0) {
    assert.equal(answer.statusCode, status, answer.body);
    return true;
  }
  assertRefused(outcome(answer), refusals);
  return false;
}

/** Holds a refusal, as status and code, against the reasons for one. */
export function assertRefused(refusal: string, refusals: Refusals): void {
  assert.ok(refusals.includes(refusal), `answered ${refusal}, and not ${refusals.join(' or ')}`);
}

/** One of a list, counted round, or nothing of an empty one. */
export function pick<T>(list: readonly T[], place: number): T | undefined {
  return list[place % Math.max(list.length, 1)];
}

/** A memory to be superseded: published and in the layer, or just any. */
export function pickSuperseded(
  { model }: World,
  { back, astray }: { back: number; astray: boolean },
  layer: string | undefined,
): string | null {
  const newest = model.memories.toReversed();
  if (astray) return pick([...newest, undefined], back)?.id ?? model.purged.at(-1) ?? newId();
  const fit = newest.filter((memory) => memory.state === 'published' && memory.layer === layer);
  return pick(fit, back)?.id ?? null;
}

/** A new text of some kind. */
export function textOf({ model, words }: World, kind: 'short' | 'long' | 'copy'): string {
  if (kind === 'long') return words.long();
  return (kind === 'copy' ? model.memories.at(-1)?.content : undefined) ?? words.short();
}

/** A short account of a text: its first word. */
export function brief(text: string | null): string {
  if (text === null) return 'no text';
  return `${text.length > 1000 ? 'long' : 'short'} text "${text.slice(0, 10)}"`;
}

/** A capture of an answer in the terms of the model. */
export function seenCapture(world: World, capture: Capture): Omit<ModelCapture, 'batch'> {
  const { id, sessionId: session, sequence, summary, state, createdBy, clientId } = capture;
  assert.equal(capture.layer, clientId === null ? 'team' : 'client');
  const author = callerOf(world, createdBy)!;
  return { id, author, layer: layerOf(world, clientId), session, sequence, summary, state };
}

/** A capture of the model as an answer shows it, which does not tell its batch. */
export function withoutBatch(known: ModelCapture): Omit<ModelCapture, 'batch'> {
  const { batch: _, ...shown } = known;
  return shown;
}

/** A memory of an answer in the terms of the model. */
export function seenMemory(
  world: World,
  memory: Memory,
): Omit<ModelMemory, 'vector' | 'publishedBy' | 'versions' | 'due'> {
  const { id, state, title, content, version, supersedes, supersededBy, clientId } = memory;
  assert.equal(memory.layer, clientId === null ? 'team' : 'client');
  return {
    id,
    state,
    title,
    content,
    layer: layerOf(world, clientId),
    version,
    captures: memory.captureIds,
    supersedes,
    supersededBy,
    author: callerOf(world, memory.createdBy)!,
    decidedBy: callerOf(world, memory.decidedBy),
    expiry: seenExpiry(memory.expiresAt),
  };
}

/** When a memory of an answer expires, in the terms of the model. */
export function seenExpiry(expiresAt: Memory['expiresAt']): Expiry {
  if (expiresAt === null) return 'never';
  return Date.parse(expiresAt) > Date.now() ? 'later' : 'past';
}

/** An expiry as it goes over the wire. */
export function wireExpiry(expiry: Expiry | null): { expiresAt?: string | null } {
  if (expiry === null) return {};
  return { expiresAt: expiry === 'never' ? null : new Date(Date.now() + 86_400_000).toISOString() };
}

/** Asserts that an answer shows a memory as the model has it. */
export function assertMemory(world: World, memory: Memory): void {
  const known = world.model.memory(memory.id);
  assert.ok(known, `the model has no memory ${memory.id}`);
  const { vector: _, publishedBy: __, versions: ___, due: ____, ...expected } = known;
  assert.deepEqual(seenMemory(world, memory), expected);
  assertSource(world, known, memory.sourceId);
}

/** Asserts that a memory has a source from its publication on, always the same and its own. */
export function assertSource(
  { sources }: World,
  { id, publishedBy }: ModelMemory,
  seen: string | null,
): void {
  if (publishedBy === null) {
    assert.equal(seen, null, 'a memory that was never published has no source');
    return;
  }
  assert.ok(seen !== null, 'a memory that was published has a source');
  const known = sources.get(id);
  if (known === undefined) {
    assert.ok(![...sources.values()].includes(seen), 'a source is of one memory alone');
    sources.set(id, seen);
  } else {
    assert.equal(seen, known, 'a memory keeps its source');
  }
}
