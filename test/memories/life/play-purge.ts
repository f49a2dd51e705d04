import assert from 'node:assert/strict';
import { newId } from '../../../shared/ids.ts';
import { accepted, asks, brief, pick } from './asking.ts';
import type { CallerName, Model, ModelMemory } from './model.ts';
import { sendAgain } from './play-batches.ts';
import { refusalsOfPurge } from './refusals.ts';
import type { StepOf } from './steps.ts';
import type { World } from './world.ts';

/** Deletes a memory for good, or tries it with one that is not there or no longer there. */
export async function playPurge(
  world: World,
  { by, memory: back, gone, mixed }: StepOf<'purge'>,
): Promise<void> {
  const { model } = world;
  const newest = model.memories.toReversed();
  const isMixed = ({ captures, layer }: ModelMemory) => model.layersOf(captures).some((one) => one !== layer);
  const known = gone ? undefined : (pick(mixed ? newest.filter(isMixed) : [], back) ?? pick(newest, back));
  const id = known?.id ?? model.purged.at(-1) ?? newId();
  const what = known === undefined ? 'no memory' : `${brief(known.content)} (${known.state})`;
  const answer = await asks(world, by, `purges ${what}`, {
    method: 'POST',
    url: `/v1/memory/memories/${id}/purge`,
  });
  if (!accepted(answer, refusalsOfPurge(model, by, id), 204)) return;
  assert.equal(answer.body, '');
  const naming = model.batches.filter(({ completed }) =>
    JSON.stringify(completed?.results ?? []).includes(id),
  );
  purge(model, by, id);
  world.sources.delete(id);
  for (const batch of naming) await sendAgain(world, batch);
}

/** Takes a memory out of the model, and all that is of it alone. */
function purge(model: Model, by: CallerName, id: string): void {
  const memory = model.memory(id);
  if (memory === undefined) throw new Error('the model has no such memory');
  model.memories.splice(model.memories.indexOf(memory), 1);
  model.purged.push(id);
  const kept = model.memories.flatMap(({ captures }) => captures);
  const gone = model.capturesOf(memory.captures).filter((capture) => !kept.includes(capture.id));
  for (const capture of gone) model.captures.splice(model.captures.indexOf(capture), 1);
  for (const other of model.memories) {
    if (other.supersedes === id) other.supersedes = null;
    if (other.supersededBy === id) other.supersededBy = null;
  }
  for (const { completed } of model.batches) {
    if (completed === null) continue;
    completed.results = completed.results.map((result) =>
      result.memoryId === id
        ? { state: 'discarded', memoryId: null, similar: [] }
        : { ...result, similar: result.similar.filter(({ memoryId }) => memoryId !== id) },
    );
  }
  // Who sees one layer alone is not told of captures of another.
  const within = gone.every(({ layer }) => layer === memory.layer);
  model.record('memory.purge', by, 'memory', id, within ? memory.layer : null);
}
