import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { TeamScope } from '../../../shared/scope.ts';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { setTermCounts } from '../../support/term-counts.ts';
import { searchIn } from './search-in.ts';

const database = await openTestDatabase();

const COMMON = `the of and what does stand in for our team where when is how to we have that mean about this
  der die das und was steht wo ist wie wir haben über для что это как где наш когда 会议 我们 请问 是什么 ของเรา คืออะไร`;
const COMMON_WORDS = COMMON.split(/\s+/);

/** How many chunks the Team is said to have. */
const TEAM_CHUNKS = 6000;
/** How many of them each common word is said to stand in. Three such words exceed the postings that are read. */
const COMMON_FREQUENCY = 3000;

/** Many more than a leg holds would hide a chunk that matches by a lone number. */
const FILLERS = 30;
const RUNS = 60;

/** Letters that are the same after they were written large; a sigma, as it is small, depends on its place. */
const ALPHABETS = [
  'abcdefghklmnoprstuvwz',
  'äöüéàñçåø',
  'абвгдежзиклмнопрст',
  'αβγδεζηθικλμν',
  'אבגדהוזחט',
  'কখগঘচছ',
];
const CODE_ALPHABETS = ['abcdefghkmnpqrstuvwxz', 'ABCDEFGHKMNPQRSTUVWXZ', 'АБВГДЕЖЗ'];

const lettersOf = (alphabets: readonly string[], minLength: number, maxLength: number) =>
  fc
    .constantFrom(...alphabets)
    .chain((alphabet) => fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength }));
const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });
const name = lettersOf(ALPHABETS, 4, 12);
const latin = lettersOf(ALPHABETS.slice(0, 1), 3, 9);
const joined = (joiner: string, part: fc.Arbitrary<string>, minLength: number, maxLength: number) =>
  fc.array(part, { minLength, maxLength }).map((parts) => parts.join(joiner));
const format = (template: string, ...parts: fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((made) => made.reduce((text, part) => text.replace('%', part), template));
const prefix = lettersOf(CODE_ALPHABETS, 1, 4);

/** What people write to name one thing. */
const IDENTIFIERS = {
  codes: fc.oneof(
    format('%-%', prefix, digits(2, 7)),
    format('%_%', prefix, digits(2, 5)),
    format('%%', prefix, digits(3, 8)),
    format('%%%', digits(1, 3), prefix, digits(1, 4)),
    format('%-%-%', prefix, digits(4, 4), digits(2, 6)),
  ),
  hashes: fc.oneof(
    fc.uuid(),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 7, maxLength: 40 }),
  ),
  names: name,
  'names of two words': format('% %', name, name),
  'Chinese and Thai names': lettersOf(['龘靐齉爩鱻麤龖厵', 'ฌฎฏฐฑฒ'], 2, 6),
  paths: fc.oneof(
    format('/%/%.%', joined('/', latin, 1, 4), latin, fc.constantFrom('ts', 'md', 'tar.gz')),
    format('C:\\%\\%.docx', name, name),
  ),
  numbers: fc.oneof(
    digits(3, 12),
    format('%.%', digits(1, 4), digits(2, 4)),
    format('%,%', digits(2, 3), digits(3, 3)),
  ),
  versions: fc.oneof(
    format('v%.%.%', digits(1, 2), digits(1, 2), digits(1, 3)),
    format('%.%.%-rc.%', digits(1, 2), digits(1, 2), digits(1, 3), digits(1, 1)),
  ),
  'IP addresses': fc.ipV4(),
  dates: fc.oneof(
    format('%-%-%', digits(4, 4), digits(2, 2), digits(2, 2)),
    format('%.%.%', digits(2, 2), digits(2, 2), digits(4, 4)),
  ),
  'e-mail addresses': format('%.%@%.%', name, latin, latin, fc.constantFrom('org', 'com', 'co.uk')),
  URLs: format('https://%.org/%?%=%', latin, joined('/', latin, 1, 3), latin, digits(1, 5)),
  'dotted, underscored and other compounds': fc
    .constantFrom('.', '_', '/', ':', '@', '#', '+')
    .chain((joiner) => joined(joiner, fc.oneof(name, fc.constantFrom(...COMMON_WORDS.slice(0, 20))), 2, 5))
    .filter((compound) => compound.length > 3),
  'hyphenated words': joined('-', name, 2, 4),
} satisfies Record<string, fc.Arbitrary<string>>;

const WRITTEN: ((identifier: string) => string)[] = [
  (identifier) => identifier,
  (identifier) => identifier.toUpperCase(),
  (identifier) => identifier.toLowerCase(),
];
const AROUND: ((identifier: string) => string)[] = [
  (identifier) => identifier,
  (identifier) => `"${identifier}"`,
  (identifier) => `(${identifier}),`,
  (identifier) => `«${identifier}».`,
  (identifier) => `“${identifier}”?`,
  (identifier) => `${identifier}: `,
  (identifier) => `…${identifier}!`,
  (identifier) => `「${identifier}」`,
];

/** A Team whose common words stand in more chunks than the keyword search reads postings of. */
async function openTeamOfCommonWords(): Promise<TeamScope> {
  const team = await createTestCompany(database);
  const scope = ownerScope(team);
  const texts = Array.from({ length: FILLERS }, (_, index) => `${COMMON} filler${index}`);
  await storeSource(database, scope, { layer: null, chunks: texts.map((text) => ({ text })) });
  await setTermCounts(database, team, {
    chunks: TEAM_CHUNKS,
    words: Object.fromEntries(COMMON_WORDS.map((word) => [word, COMMON_FREQUENCY])),
  });
  return scope;
}

describe('identifiers among common words', () => {
  let scope: TeamScope;

  before(async () => {
    scope = await openTeamOfCommonWords();
  });

  async function keywordRank(query: string, text: string): Promise<number | null> {
    const { hits } = await searchIn(database, scope, query);
    return hits.find((hit) => hit.text === text)?.keyword_rank ?? null;
  }

  const written = fc.constantFrom(...WRITTEN);
  const around = fc.constantFrom(...AROUND);
  const words = fc.array(fc.constantFrom(...COMMON_WORDS), { minLength: 3, maxLength: 8 });

  for (const [kind, identifiers] of Object.entries(IDENTIFIERS)) {
    test(`are found by a keyword search: ${kind}`, async () => {
      const stored = fc.tuple(identifiers, words, words, written, around);
      await fc.assert(
        fc.asyncProperty(stored, async ([identifier, before, after, write, surround]) => {
          const text = `${[...before, surround(identifier), ...after].join(' ')} ${COMMON}`;
          await storeSource(database, scope, { layer: null, chunks: [{ text }] });
          for (const asked of [identifier, write(identifier), surround(write(identifier))]) {
            assert.notEqual(await keywordRank(asked, text), null, `alone: ${asked}`);
            const question = [...after, asked, ...before].join(' ');
            assert.notEqual(await keywordRank(question, text), null, `in a question: ${question}`);
          }
        }),
        { numRuns: Math.ceil(RUNS / Object.keys(IDENTIFIERS).length), seed: 8, endOnFailure: true },
      );
    });
  }
});
