import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { transaction } from '../../../db/driver/database.ts';
import { archiveSource } from '../../../db/queries/sources/removal.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { createTestCompany, openTestDatabase, type TestCompany } from '../../support/needs/database.ts';
import { repeatChunks } from '../../support/repeated-chunks.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { type GivenChunk, storeSource } from '../../support/sources.ts';
import { openStandInVectors } from '../../support/stand-in-vectors.ts';
import { countTermsNow } from '../../support/term-counts.ts';
import { searchIn } from './search-in.ts';

const database = await openTestDatabase();
const vectors = openStandInVectors(7);

const RUNS = 5;
const WORDS = ['the', 'heron', 'harbour', 'budget', 'walrus', 'err_4711', 'inv-2024', '会议', 'herons'];
const QUERIES = ['the heron of the harbour', 'budget err_4711', 'unheard walrus', 'inv-2024 herons 会议'];
const embedding = vectors.vector();

/** All that searches of a scope tell, except how long they took. */
async function told(scope: TeamScope, queries: readonly string[]): Promise<string> {
  const answers: unknown[] = [];
  for (const query of queries) {
    for (const vector of [null, embedding]) {
      const { hits, trace } = await searchIn(database, scope, query, { embedding: vector });
      answers.push({ query, hits, trace: { ...trace, milliseconds: {} } });
    }
  }
  return JSON.stringify(answers);
}

interface Team {
  company: TestCompany;
  /** Two. No scope that is compared reads the second. */
  clients: [string, string];
  everything: TeamScope;
}

async function openTeam(): Promise<Team> {
  const company = await createTestCompany(database);
  const clients: [string, string] = [await addClient(database, company), await addClient(database, company)];
  return { company, clients, everything: ownerScope(company, clients) };
}

function store({ everything }: Team, layer: string | null, chunks: readonly GivenChunk[]): Promise<string> {
  return storeSource(database, everything, { layer, chunks });
}

const texts = fc.array(
  fc.record({
    text: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
    embedded: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);
type Drawn = typeof texts extends fc.Arbitrary<infer T> ? T : never;
let stored = 0;
/** Each text once: the same again in a layer is no new source. */
const given = (drawn: Drawn): GivenChunk[] =>
  drawn.map(({ text, embedded }) => ({
    text: `${text} ${stored++}`,
    ...(embedded ? { embedding: vectors.vector() } : {}),
  }));

describe('content of layers outside the scope', () => {
  test('changes no hit, score, rank or explanation, whatever is stored there or removed', async () => {
    await fc.assert(
      fc.asyncProperty(texts, texts, texts, async (own, others, later) => {
        const team = await openTeam();
        const [client, other] = team.clients;
        const beside = await store(team, other, given(own));
        await store(team, null, given(own));
        await store(team, client, given(later));
        await countTermsNow(database, team.company);
        const scopes = [ownerScope(team.company), ownerScope(team.company, [client])];
        const alone = await Promise.all(scopes.map((scope) => told(scope, QUERIES)));

        await store(team, other, given([...others, ...others]));
        await countTermsNow(database, team.company);
        await store(team, other, given(later));
        assert.deepEqual(await Promise.all(scopes.map((scope) => told(scope, QUERIES))), alone, 'stored');

        await transaction(database, team.everything, (tx) => archiveSource(tx, beside));
        await countTermsNow(database, team.company);
        assert.deepEqual(await Promise.all(scopes.map((scope) => told(scope, QUERIES))), alone, 'removed');
      }),
      { numRuns: RUNS },
    );
  });

  test('does not change the weight of a word that no chunk in the scope holds', async () => {
    const team = await openTeam();
    const [, other] = team.clients;
    const secret = Array.from({ length: 20 }, (_, n) => ({ text: `${n % 10 ? 'plan' : 'zephyrus'} ${n}` }));
    await store(team, other, secret);
    await store(team, null, [{ text: 'zephyrus' }, { text: 'kestrels' }]);
    await countTermsNow(database, team.company);
    const { hits } = await searchIn(database, ownerScope(team.company), 'zephyrus kestrels', { topK: 2 });
    assert.equal(hits.length, 2);
    assert.equal(hits[0]?.score, hits[1]?.score);
  });
});

/** More chunks that hold a word than are read of a Team for a search. */
const ELSEWHERE = 10_100;
/** More than are scored, and than a scope holds whose chunks are all scored. */
const MANY = 4100;

describe('very many chunks with the searched words outside the scope', () => {
  const queries = ['budget', 'the budget of the walrus', 'the', 'err_4711 budget', 'unheard budget'];
  const small = ['the budget', 'the walrus is here', 'the year of the budget', 'err_4711'];

  for (const [name, size] of [
    ['of few chunks', 1],
    ['of more than are scored', MANY],
  ] as const) {
    describe(`a scope ${name}`, () => {
      let team: Team;
      let scope: TeamScope;
      let alone: string;
      before(async () => {
        team = await openTeam();
        const [client, other] = team.clients;
        scope = ownerScope(team.company, [client]);
        const own = await store(team, client, [{ text: 'the pumps of the harbour' }]);
        await repeatChunks(database, team.company, own, size);
        await store(
          team,
          null,
          small.map((text) => ({ text })),
        );
        await countTermsNow(database, team.company);
        alone = await told(scope, queries);
        const elsewhere = await store(team, other, [{ text: 'the budget of the walrus err_4711' }]);
        await repeatChunks(database, team.company, elsewhere, ELSEWHERE);
      });

      test('gives the same answer before those chunks are counted', async () => {
        assert.equal(await told(scope, queries), alone);
      });

      test('gives the same answer after those chunks are counted', async () => {
        await countTermsNow(database, team.company);
        assert.equal(await told(scope, queries), alone);
      });
    });
  }
});
