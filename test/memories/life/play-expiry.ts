import { brief, pick } from './asking.ts';
import type { Model, ModelMemory } from './model.ts';
import type { StepOf } from './steps.ts';
import type { World } from './world.ts';

/** Has a memory expire, which tells no one. */
export async function playExpire(world: World, step: StepOf<'expire'>): Promise<void> {
  const { service, model, told } = world;
  const newest = model.memories.toReversed();
  const open = newest.filter(isOpen);
  const memory = pick(step.astray || open.length === 0 ? newest : open, step.memory);
  if (memory === undefined) return;
  const past = `expires_at = now() - interval '1 second'`;
  await service.database.query(
    `update memory.source set ${past}
      where id = (select source_id from memory.memory_item where id = $1)`,
    [memory.id],
  );
  await service.database.query(`update memory.memory_item set ${past} where id = $1`, [memory.id]);
  told.push(`${brief(memory.content)} (${memory.state}) expires`);
  memory.expiry = 'past';
  // A memory that was discarded stays so.
  if (isOpen(memory)) Object.assign(memory, { due: memory.state, state: 'archived' });
}

function isOpen({ state }: ModelMemory): boolean {
  return state === 'review' || state === 'published';
}

/** Archives what counts as archived already, which is told as a change by no one. */
export function archiveDue(model: Model): void {
  for (const memory of model.memories) if (memory.due !== null) model.settleDue(null, memory);
}
