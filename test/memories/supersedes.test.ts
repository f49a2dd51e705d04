import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { recordedBy } from '../support/company.ts';
import { foundByWords } from '../support/consolidation.ts';
import {
  addMemories,
  addMemory,
  allRows,
  decide,
  decided,
  listMemories,
  readSource,
  searchRows,
} from '../support/memories.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, faultyFields, withoutRequestId } from '../support/team.ts';

const service = await openTestApp();

const OLD = { title: 'Old', content: 'The ocelot sleeps.' };
const NEW = { title: 'New', content: 'The lynx wakes.' };

/** A memory that waits for review, to take the place of a published one. */
async function addBoth(company: SignedIn, clientId: string | null = null) {
  const old = await addMemory(company, 'published', OLD, clientId);
  const review = await addMemory(company, 'review', NEW, clientId);
  return { old, review };
}

const publish = (memory: Memory, supersedes: string) => ({
  action: 'publish',
  memoryId: memory.id,
  supersedes,
});

/** Asserts that a decision is refused and changes nothing, alone and among others. */
async function assertRefused(company: SignedIn, decision: object, refusal: string): Promise<void> {
  const before = await allRows(service, company);
  assert.equal(outcome(await decide(company, decision)), refusal);
  const answer = await decide(company, { decisions: [decision] });
  const { results } = answer.json<{ results: { problem?: { status: number; code: string } }[] }>();
  const { problem } = results[0]!;
  assert.equal(`${problem?.status} ${problem?.code}`, refusal);
  assert.deepEqual(await allRows(service, company), before);
}

describe('a publish that supersedes a memory', () => {
  test('a publish archives the superseded memory, and each memory names the other', async () => {
    const company = await service.company();
    const { old, review } = await addBoth(company);
    const { events } = await recordedBy(service, company, async () => {
      const published = await decided(company, publish(review, old.id.toUpperCase()));
      assert.deepEqual(
        [published.state, published.version, published.supersedes, published.supersededBy],
        ['published', 2, old.id, null],
      );
    });
    const [archived] = await service.database.query<{
      state: string;
      version: number;
      by: string;
      who: string;
    }>(
      `select state, version, superseded_by as by, decided_by as who from memory.memory_item where id = $1`,
      [old.id],
    );
    assert.deepEqual(archived, { state: 'archived', version: 2, by: review.id, who: company.ownerId });
    assert.deepEqual(
      events.map(({ kind, subjectId, detail }) => [
        kind,
        subjectId,
        detail['supersedes'],
        detail['supersededBy'],
      ]),
      [
        ['memory.delete', old.id, undefined, review.id],
        ['memory.publish', review.id, old.id, undefined],
      ],
    );
    const [listed, ...others] = await listMemories(company);
    assert.deepEqual([listed?.id, listed?.supersedes, others], [review.id, old.id, []]);
  });

  test('a publish removes the superseded memory from search and leaves its source archived and empty', async () => {
    const company = await service.company();
    const { old, review } = await addBoth(company);
    await decided(company, publish(review, old.id));
    assert.deepEqual(await foundByWords(company, 'ocelot'), []);
    assert.deepEqual(await foundByWords(company, 'lynx'), ['The lynx wakes.']);
    const source = await readSource(company, old);
    assert.deepEqual([source.state, source.chunks], ['archived', []]);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 0, pending: 1 });
  });

  test('a publish that supersedes works in a client, with an edited title and content', async () => {
    const company = await service.company();
    const { old, review } = await addBoth(company, await addClient(service, company));
    const decision = { ...publish(review, old.id), version: 1, title: 'Edited', content: 'The puma runs.' };
    const published = await decided(company, decision);
    assert.deepEqual([published.title, published.supersedes], ['Edited', old.id]);
    assert.deepEqual(await foundByWords(company, 'puma ocelot lynx'), ['The puma runs.']);
  });

  test('publishes build a chain in which only the last memory is published', async () => {
    const company = await service.company();
    const first = await addMemory(company, 'published', OLD);
    const [second, third] = await addMemories(company, 'review', [NEW, NEW]);
    await decided(company, publish(second!, first.id));
    await assertRefused(company, publish(third!, first.id), '409 conflict');
    await decided(company, publish(third!, second!.id));
    const [listed, ...others] = await listMemories(company);
    assert.deepEqual([listed?.id, listed?.supersedes, others], [third!.id, second!.id, []]);
    const [middle] = await service.database.query(
      'select supersedes, superseded_by as by from memory.memory_item where id = $1',
      [second!.id],
    );
    assert.deepEqual(middle, { supersedes: first.id, by: third!.id });
  });

  test('an update and a delete keep the reference to the superseded memory', async () => {
    const company = await service.company();
    const { old, review } = await addBoth(company);
    await decided(company, publish(review, old.id));
    for (const change of [{ action: 'update', content: 'The puma runs.' }, { action: 'delete' }]) {
      const changed = await decided(company, { ...change, memoryId: review.id });
      assert.deepEqual([changed.supersedes, changed.supersededBy], [old.id, null]);
    }
  });
});

describe('a publish that cannot supersede', () => {
  test('superseding returns 400 for a memory of another layer', async () => {
    const company = await service.company();
    const [client, other] = [await addClient(service, company), await addClient(service, company)];
    const inTeam = await addBoth(company);
    const inClient = await addBoth(company, client);
    const inOther = await addBoth(company, other);
    for (const [{ review }, { old }] of [
      [inTeam, inClient],
      [inClient, inTeam],
      [inClient, inOther],
    ] as const) {
      await assertRefused(company, publish(review, old.id), '400 invalid_request');
      assert.deepEqual(faultyFields(await decide(company, publish(review, old.id))), ['/supersedes']);
    }
  });

  test('superseding returns the same 404 for a memory that is unknown, malformed or not visible', async () => {
    const company = await service.company();
    const { review } = await addBoth(company);
    const stranger = await service.company();
    const foreign = await addMemory(stranger, 'published');
    const gone = await addClient(service, company);
    const hidden = await addMemory(company, 'published', {}, gone);
    await service.database.query(`update identity.client set state = 'archived' where id = $1`, [gone]);
    const bodies = new Set<string>();
    for (const id of [newId(), 'x', '', `${review.id}x`, foreign.id, hidden.id]) {
      await assertRefused(company, publish(review, id), '404 not_found');
      const { body } = await decide(company, publish(review, id));
      bodies.add(withoutRequestId(body));
    }
    assert.equal(bodies.size, 1);
  });

  for (const state of ['review', 'discarded', 'archived'] as const) {
    test(`superseding returns 409 for a memory in state ${state}`, async () => {
      const company = await service.company();
      const { review } = await addBoth(company);
      const other = await addMemory(company, state);
      await assertRefused(company, publish(review, other.id), '409 conflict');
    });
  }

  test('superseding returns 409 for the memory itself', async () => {
    const company = await service.company();
    const { old, review } = await addBoth(company);
    await assertRefused(company, publish(review, review.id), '409 conflict');
    await assertRefused(company, publish(old, old.id), '409 conflict');
  });

  test('a refused publish supersedes nothing', async () => {
    const company = await service.company();
    const { old, review } = await addBoth(company);
    const discarded = await addMemory(company, 'discarded');
    await assertRefused(company, publish(discarded, old.id), '409 conflict');
    await assertRefused(company, { ...publish(review, old.id), version: 2 }, '409 version_conflict');
    await assertRefused(company, { ...publish(review, old.id), memoryId: newId() }, '404 not_found');
  });
});

test('only a publish can supersede; other actions return 400', async () => {
  const company = await service.company();
  const { old, review } = await addBoth(company);
  const published = await addMemory(company, 'published');
  for (const decision of [
    { action: 'update', memoryId: published.id, title: 'x' },
    { action: 'delete', memoryId: published.id },
    { action: 'discard', memoryId: review.id },
  ]) {
    const body = { ...decision, supersedes: old.id };
    await assertRefused(company, body, '400 invalid_request');
    assert.deepEqual(faultyFields(await decide(company, body)), ['/supersedes']);
  }
});

test('a member without Full access gets 403 for a publish that supersedes', async () => {
  const company = await service.company();
  const { old, review } = await addBoth(company);
  const member = await addPerson(service, company, { teamRole: 'member' });
  const before = await allRows(service, company);
  const answer = await decide(member, publish(review, old.id));
  assert.equal(outcome(answer), '403 full_access_required');
  assert.deepEqual(await allRows(service, company), before);
});

describe('concurrent publishes that supersede', () => {
  test('of eight publishes that supersede one memory one succeeds and the others stay in review', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    const old = await addMemory(company, 'published', OLD);
    const reviews = await addMemories(
      company,
      'review',
      Array.from({ length: 8 }, () => NEW),
    );
    const answers = await Promise.all(
      reviews.map((review, n) =>
        decide(via(n % 2 === 0 ? service : other, company), publish(review, old.id)),
      ),
    );
    const won = reviews.filter((_, n) => answers[n]?.statusCode === 200);
    assert.equal(won.length, 1);
    for (const answer of answers) assert.match(outcome(answer), /^(200|409 conflict)$/);
    const [row] = await service.database.query(
      'select superseded_by as by, version from memory.memory_item where id = $1',
      [old.id],
    );
    assert.deepEqual(row, { by: won[0]!.id, version: 2 });
    const listed = await listMemories(company);
    assert.equal(listed.filter(({ state }) => state === 'review').length, 7);
    assert.deepEqual(await foundByWords(company, 'lynx ocelot'), ['The lynx wakes.']);
  });

  test('concurrent decisions on a memory and the one it supersedes do not deadlock', async (t) => {
    const company = await service.company();
    const other = await openSecondApp(t, service);
    for (let n = 0; n < 10; n += 1) {
      const { old, review } = await addBoth(company);
      const answers = await Promise.all([
        decide(company, publish(review, old.id)),
        decide(via(other, company), { action: 'delete', memoryId: old.id }),
        decide(company, { action: 'discard', memoryId: review.id }),
        decide(via(other, company), publish(old, review.id)),
      ]);
      for (const answer of answers) assert.match(outcome(answer), /^(200|409 conflict)$/);
      const changed = answers.filter((answer) => answer.statusCode === 200);
      assert.ok(changed.length === 1 || changed.length === 2);
      const listed = await listMemories(company);
      assert.equal(
        listed.some(({ id }) => id === old.id),
        false,
      );
    }
  });
});
