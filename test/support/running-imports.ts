import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Import } from '../../shared/schemas/imports.ts';
import type { TestApp } from './app.ts';
import { type Caller, get, post } from './team.ts';

/** A running worker that is to do with files what their text says. */
export const MISBEHAVE = { extractors: new URL('./misbehaving-extractors.ts', import.meta.url) };

/** Imports texts as files, each named by its place. */
export async function importTexts(
  service: Pick<TestApp, 'app'>,
  caller: Caller,
  texts: readonly string[],
): Promise<string[]> {
  const items = texts.map((text, index) => ({ filename: `file-${index}.txt`, text }));
  const answer = await post(service, caller, '/v1/memory/imports', { items });
  assert.equal(answer.statusCode, 202, answer.body);
  return answer.json<{ imports: Import[] }>().imports.map(({ id }) => id);
}

export async function importNow(
  service: Pick<TestApp, 'app'>,
  caller: Caller,
  id: string | undefined,
): Promise<Import> {
  return (await get(service, caller, `/v1/memory/imports/${id}`)).json<Import>();
}

/** Waits until an import stands as `reached` wants it. */
export async function untilImport(
  service: Pick<TestApp, 'app'>,
  caller: Caller,
  id: string | undefined,
  signal: AbortSignal,
  reached: (item: Import) => boolean,
): Promise<Import> {
  for (;;) {
    const item = await importNow(service, caller, id);
    if (reached(item)) return item;
    await sleep(20, undefined, { signal });
  }
}

/** Whether an import is over, well or not. */
export function isOver({ state }: Import): boolean {
  return state === 'completed' || state === 'failed';
}
