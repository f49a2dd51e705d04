import { obey } from '../support/child.ts';
import { timed } from '../support/rounds.ts';
import { openBareModel } from './bare-model.ts';

/*
 * A model in a process of its own, because the runtime keeps the memory of every model that it has opened, and chooses
 * its threads once.
 */

/** Texts by their lengths in tokens: those of one part are run together, the parts one after the other. */
export type SizesOrder = readonly (readonly number[])[];

export interface SizesAnswer {
  ms: number;
  cpuMs: number;
  /** The vectors of all texts, in their order. */
  vectors: Float32Array[];
}

/** Any ids that every made model knows. */
const LOWEST_ID = 10;
const IDS = 20_000;

const [, , modelDir = '', name = '', threads = ''] = process.argv;
const model = await openBareModel(modelDir, name, Number(threads));

/** The same ids for the same place in an order, however its texts are put together. */
const textAt = (place: number, tokens: number) =>
  BigInt64Array.from({ length: tokens }, (_, at) =>
    BigInt(LOWEST_ID + ((place * 7919 + at * 104_729) % IDS)),
  );

obey(async (order: SizesOrder): Promise<SizesAnswer> => {
  let place = 0;
  const parts = order.map((lengths) => lengths.map((tokens) => textAt(place++, tokens)));
  const vectors: Float32Array[] = [];
  const before = process.cpuUsage();
  const ms = await timed(async () => {
    for (const part of parts) vectors.push(...(await model.run(part)));
  });
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1000, vectors };
});
