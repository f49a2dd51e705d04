import { setTimeout as sleep } from 'node:timers/promises';
import type { Import } from '../../shared/schemas/imports.ts';
import { type Caller } from './team.ts';

/** A running worker that is to do with files what their text says. */
export const MISBEHAVE = { extractors: new URL('./misbehaving-extractors.ts', import.meta.url) };

/** Imports texts as files, each named by its place. */
export async function importTexts(caller: Caller, texts: readonly string[]): Promise<string[]> {
  const items = texts.map((text, index) => ({ filename: `file-${index}.txt`, text }));
  return (await caller.api.importFiles({ items })).imports.map(({ id }) => id);
}

export async function importNow(caller: Caller, id: string | undefined): Promise<Import> {
  return caller.api.getImport(id ?? '');
}

/** Waits until an import stands as `reached` wants it. */
export async function untilImport(
  caller: Caller,
  id: string | undefined,
  signal: AbortSignal,
  reached: (item: Import) => boolean,
): Promise<Import> {
  for (;;) {
    const item = await importNow(caller, id);
    if (reached(item)) return item;
    await sleep(20, undefined, { signal });
  }
}

/** Whether an import is over, well or not. */
export function isOver({ state }: Import): boolean {
  return state === 'completed' || state === 'failed';
}
