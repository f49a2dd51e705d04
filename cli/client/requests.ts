import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { PAGE_LIMITS, Page } from '../../shared/schemas/common.ts';
import type { SearchRequest } from '../../shared/schemas/search.ts';
import { Health } from '../../shared/schemas/status.ts';
import { parseWhole } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Profile, readProfileSettings } from './profiles.ts';
import { programName, runCommand } from './run-command.ts';
import type { ServiceClient } from './service-client.ts';

/** A filter of a list; undefined values are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** A path with its query. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** How many items a whole list has: null with `totalAtLeast` if there are too many to count. */
export type Total = Pick<Static<ReturnType<typeof Page>>, 'total' | 'totalAtLeast'>;

/** Items of a list, with its total if it was asked for. */
export type Listed<Item> = { items: Item[] } & Total;

/**
 * Reads a list of the service, page by page, in its order.
 * @param limit the most items to read; without it, all are read
 * @param isCounted whether to ask for the total
 */
export async function readCountedList<Item extends TSchema>(
  service: ServiceClient,
  path: string,
  item: Item,
  query: Query,
  { limit = Infinity, isCounted = false } = {},
): Promise<Listed<Static<Item>>> {
  const page = Page(item);
  const items: Static<Item>[] = [];
  let total: Total = {};
  let cursor: string | null | undefined;
  while (cursor !== null && items.length < limit) {
    const part = String(Math.min(PAGE_LIMITS.max, limit - items.length));
    const count = isCounted && cursor === undefined ? 'true' : undefined;
    const answer = (await service.get(
      withQuery(path, { ...query, limit: part, cursor: cursor ?? undefined, count }),
      page,
    )) as Listed<Static<Item>> & { nextCursor: string | null };
    const { nextCursor, items: more, ...counts } = answer;
    if (cursor === undefined) total = counts;
    items.push(...more);
    cursor = nextCursor;
  }
  return { items, ...total };
}

/** Reads the items of a list of the service, as `readCountedList`. */
export async function readList<Item extends TSchema>(
  service: ServiceClient,
  path: string,
  item: Item,
  query: Query = {},
  limit = Infinity,
): Promise<Static<Item>[]> {
  return (await readCountedList(service, path, item, query, { limit })).items;
}

/** The most items that a command lists. */
const MAX_LISTED = 10_000;

/**
 * Parses `--limit`.
 * @throws CommandError
 */
export function parseLimit(given: string | undefined, otherwise: number, max = MAX_LISTED): number {
  return parseWhole('limit', given, 1, max) ?? otherwise;
}

/** A command that loads its model first needs some time. */
const TIMEOUT_MS = 120_000;

const Numbers = Type.Array(Type.Number(), { minItems: 1 });

/** How a search gets the vector of its query. */
export type QueryVector = Pick<
  SearchRequest,
  'embeddingMode' | 'queryEmbedding' | 'embeddingModel' | 'embeddingDim'
>;

/** Runs the command of a profile. */
async function vectorOf(query: string, command: string, timeoutMs: number): Promise<number[]> {
  const what = 'the vector of the query';
  const printed = await runCommand(command, query, what, timeoutMs);
  let vector: unknown;
  try {
    vector = JSON.parse(printed);
  } catch {
    vector = null;
  }
  if (Value.Check(Numbers, vector)) return vector;
  throw new CommandError(`${what}: expected a JSON array of numbers from: ${programName(command)}`);
}

/** The service chooses: its own vectors if it makes them, otherwise keywords. */
const CHOSEN_BY_SERVICE: QueryVector = { embeddingMode: 'auto' };

/**
 * Chooses how a search finds what it finds: with a vector that the service makes, if it makes vectors; otherwise with one
 * of the profile's command; otherwise by keywords only. Asks the service only if the profile has a command.
 * @param timeoutMs how long the command can take
 * @throws CommandError if the command fails, or its model is not known
 */
export async function chooseQueryVector(
  service: ServiceClient,
  profile: Profile,
  query: string,
  timeoutMs = TIMEOUT_MS,
): Promise<QueryVector> {
  const { embedWith, embeddingModel } = await readProfileSettings(profile);
  if (embedWith === undefined) return CHOSEN_BY_SERVICE;
  const { embedder } = await service.get('/v1/health', Health);
  if (embedder.serverModeEnabled) return CHOSEN_BY_SERVICE;
  if (embeddingModel === undefined)
    throw new CommandError('the profile has no model for its command: choose it again with profile set');
  const queryEmbedding = await vectorOf(query, embedWith, timeoutMs);
  // The service refuses vectors of another model, whose comparison would find anything.
  return { ...CHOSEN_BY_SERVICE, queryEmbedding, embeddingModel, embeddingDim: queryEmbedding.length };
}
