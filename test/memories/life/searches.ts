import assert from 'node:assert/strict';
import type { Hit } from '../../../shared/schemas/search.ts';
import { along, CLAIM } from '../../support/team.ts';
import { accepted } from './asking.ts';
import { CALLERS, type CallerName, type Layer, RIGHTS } from './model.ts';
import { refusalsOfSearch } from './refusals.ts';
import { Words } from './words.ts';
import type { World } from './world.ts';

/** Where someone searches: a client named or none, and the layers meant. */
interface Where {
  client: Layer | null;
  include?: ('team' | 'client')[];
}

const EVERYWHERE: Where = { client: null, include: ['team', 'client'] };
const PARTS: readonly Where[] = [
  { client: null },
  { client: 'a' },
  { client: 'b' },
  { client: null, include: ['client'] },
  { client: 'a', include: ['client'] },
  { client: 'b', include: ['team'] },
  { client: 'b', include: ['client', 'team'] },
];
const VIEWS = [EVERYWHERE, ...PARTS].flatMap((where) => CALLERS.map((by) => ({ by, where })));

/** The layers that a search goes through. */
function layersOf(by: CallerName, { client, include }: Where): Layer[] {
  const meant = include ?? (client === null ? ['team'] : ['team', 'client']);
  return RIGHTS[by].reads.filter((layer) =>
    layer === 'team' ? meant.includes('team') : meant.includes('client') && (client ?? layer) === layer,
  );
}

/** Holds all that someone with Full access finds against the model, and with each step another view of another. */
export async function assertSearches(world: World, turn: number): Promise<void> {
  await assertWords(world);
  // Without a common factor with the number of views, so that each has its turn.
  const { by, where } = VIEWS[(turn * 7) % VIEWS.length]!;
  await assertView(world, by, where);
}

/** Holds what everyone finds in all they reach against the model, and what one finds in each part of it. */
export async function assertViews(world: World): Promise<void> {
  for (const by of CALLERS) await assertView(world, by, EVERYWHERE);
  for (const where of PARTS) await assertView(world, 'ben', where);
}

/**
 * Every published text is found by its own words. Nothing is found by all other words that were ever written: those of
 * captures, of texts that wait for review or were discarded, and of older and archived texts.
 */
async function assertWords(world: World): Promise<void> {
  const expected = inReach(world, 'owner', EVERYWHERE);
  const live = world.words.all.filter((word) => expected.some((pair) => pair.endsWith(word)));
  const found = await search(world, 'owner', EVERYWHERE, live);
  assertFound(found?.byWords, expected, 'what is published is found by its words');
  const rest = world.words.all.filter((word) => !live.includes(word));
  const beside = await search(world, 'owner', EVERYWHERE, rest);
  assert.deepEqual(beside?.byWords, [], 'nothing is found by words of unpublished texts');
}

/** A search by all words ever written finds what is published within reach, and not a text more. */
async function assertView(world: World, by: CallerName, where: Where): Promise<void> {
  const found = await search(world, by, where, world.words.all);
  if (found === null) return;
  assertFound(found.all, inReach(world, by, where), `${by} finds what is published within reach`);
}

/** Memories can have the same text. A search returns it once: for one of them. */
function assertFound(found: readonly string[] = [], expected: readonly string[], what: string): void {
  const wordsOf = (pairs: readonly string[]) => pairs.map((pair) => pair.slice(pair.indexOf(' ') + 1)).sort();
  assert.deepEqual(
    found.filter((pair) => !expected.includes(pair)),
    [],
    what,
  );
  assert.deepEqual(wordsOf(found), [...new Set(wordsOf(expected))], what);
}

/** What must be found, as pairs of a source and a word of its text. */
function inReach({ model, words, sources }: World, by: CallerName, where: Where): string[] {
  const reached = model.published(layersOf(by, where));
  return reached
    .flatMap(({ id, content }) => Words.in(content, words.all).map((word) => `${sources.get(id)} ${word}`))
    .sort();
}

/** What a search finds, as such pairs; null where it is refused, as it must be. */
async function search(
  world: World,
  by: CallerName,
  { client, include }: Where,
  words: readonly string[],
): Promise<{ all: string[]; byWords: string[] } | null> {
  const { players, clients, model } = world;
  const answer = await players[by].ask.searchMemory({
    query: words.join(' ') || 'nothing',
    topK: 50,
    scope: {
      ...(client === null ? {} : { clientId: clients[client] }),
      ...(include === undefined ? {} : { include }),
    },
    // At a right angle to every vector there is: by meaning all of them are as near.
    queryEmbedding: along(1000),
    ...CLAIM,
  });
  if (!accepted(answer, refusalsOfSearch(by, client))) return null;
  const { queryId, hits } = answer.json<{ queryId: string; hits: Hit[] }>();
  model.record('memory.search', by, 'query', queryId, client);
  const pairs = (some: readonly Hit[]) =>
    some
      .flatMap(({ source_id, text }) => Words.in(text, world.words.all).map((word) => `${source_id} ${word}`))
      .sort();
  return { all: pairs(hits), byWords: pairs(hits.filter(({ keyword_rank }) => keyword_rank !== null)) };
}
