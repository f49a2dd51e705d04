import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IngestResponse } from '../../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { outcome } from '../../support/sign-in.ts';
import { listSources, readSource, removeSource } from '../../support/source-library.ts';
import { keptRows } from './kept.ts';

const service = await openTestApp();

/** A source as it must be. A purged source keeps its id. */
interface Modelled {
  id: string;
  text: string;
  externalId: string | null;
  state: 'active' | 'archived' | 'purged';
}

const TEXTS = ['The ocelot sleeps.', 'The margay climbs.', 'The serval jumps.'];

const step = fc.oneof(
  fc.record({
    do: fc.constant('ingest' as const),
    text: fc.constantFrom(...TEXTS),
    externalId: fc.constantFrom(null, null, 'a', 'b'),
  }),
  fc.record({
    do: fc.constantFrom(
      'archive' as const,
      'restore' as const,
      'archive' as const,
      'restore' as const,
      'purge' as const,
    ),
    nth: fc.nat(7),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Model {
  readonly sources: Modelled[] = [];

  active = (matches: (source: Modelled) => boolean) =>
    this.sources.find((source) => source.state === 'active' && matches(source));

  /** What the request must return, and what it changes. */
  remove(source: Modelled, to: 'archived' | 'purged'): string {
    if (source.state === 'purged') return '404 not_found';
    if (source.state === 'archived' && to === 'archived') return '409 conflict';
    source.state = to;
    return '204';
  }

  restore(source: Modelled): string {
    if (source.state === 'purged') return '404 not_found';
    const { text, externalId } = source;
    const repeat = this.active(
      (other) => other.text === text || (externalId !== null && other.externalId === externalId),
    );
    if (source.state === 'active' || repeat !== undefined) return '409 conflict';
    source.state = 'active';
    return '200';
  }
}

async function run(company: SignedIn, model: Model, next: Step): Promise<void> {
  if (next.do === 'ingest') {
    const { text, externalId } = next;
    const body = { title: 'x', text, ...(externalId === null ? {} : { externalId }) };
    const answer = await company.ask.ingestSource(body);
    const { source } = answer.json<IngestResponse>();
    const present = model.active((one) =>
      externalId === null ? one.text === text : one.externalId === externalId,
    );
    assert.equal(outcome(answer), present === undefined ? '201' : '200');
    if (present === undefined) model.sources.push({ id: source.id, text, externalId, state: 'active' });
    else {
      assert.equal(source.id, present.id);
      present.text = text;
    }
    return;
  }
  const source = model.sources[next.nth % Math.max(model.sources.length, 1)];
  if (source === undefined) return;
  const { id } = source;
  if (next.do === 'restore') {
    const expected = model.restore(source);
    assert.equal(outcome(await company.ask.restoreSource(id)), expected);
  } else if (next.do === 'archive') {
    assert.equal(outcome(await removeSource(company, id)), model.remove(source, 'archived'));
  } else {
    const answer = await company.ask.purgeSource(id);
    assert.equal(outcome(answer), model.remove(source, 'purged'));
  }
}

/** Compares all sources with the model, with their texts, and what is kept. */
async function compare(company: SignedIn, { sources }: Model): Promise<void> {
  const listed = await listSources(company);
  const left = sources.filter(({ state }) => state !== 'purged');
  assert.deepEqual(
    listed.map(({ id, state, chunks }) => ({ id, state, chunks })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    left
      .map(({ id, state }) => ({ id, state, chunks: state === 'active' ? 1 : 0 }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  for (const { id, text, state } of left) {
    const { chunks } = await readSource(company, id);
    assert.deepEqual(
      chunks.map((chunk) => chunk.text),
      state === 'active' ? [text] : [],
    );
  }
  const kept = left.filter(({ state }) => state === 'archived').length;
  assert.deepEqual(await keptRows(service, company), { sources: kept, chunks: kept });
}

test('any sequence of ingest, archive, restore and purge leaves what a small model of them says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const company = await service.company();
      const model = new Model();
      for (const next of steps) await run(company, model, next);
      await compare(company, model);
    }),
    { numRuns: 8 },
  );
});
