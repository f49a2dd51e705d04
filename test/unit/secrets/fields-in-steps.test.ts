import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutMaskedInSteps, FieldTexts } from '../../../core/redaction/field-texts.ts';
import { runAtOnce } from '../../../shared/resources/async.ts';
import { maskOf } from '../../../shared/secrets/find-secrets.ts';
import { countReads } from '../../support/count-reads.ts';

const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
/** The most items that are read between two turns of other work. */
const STEP = 5_000;

/** A list that tells how many of its items were read. */
function countedList<T>(items: T[]): { list: T[]; count: () => number } {
  let count = 0;
  const list = new Proxy(items, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) count += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return { list, count: () => count };
}

/** The result of work in steps, and the most that a counter grows in a step. */
function longestStep<T>(steps: Generator<undefined, T>, count: () => number): { longest: number; result: T } {
  let [longest, before] = [0, count()];
  while (true) {
    const step = steps.next();
    longest = Math.max(longest, count() - before);
    before = count();
    if (step.done) return { longest, result: step.value };
  }
}

describe('the search for credentials in the fields of a request', () => {
  for (const [what, item] of Object.entries({
    'credentials in a list': TOKEN,
    'objects in a list': { password: 'hunter2hunter2' },
    'lists in a list': [TOKEN],
    'names with credentials': { [TOKEN]: null },
  })) {
    it(`collects, locates and replaces at most ${STEP} items at once: ${what}`, () => {
      const { list, count } = countedList(Array.from({ length: 12_000 }, () => item));
      const collected = longestStep(FieldTexts.collect({ items: list }), count);
      assert.ok(collected.longest <= STEP, `collects ${collected.longest}`);
      assert.equal(count(), list.length);
      const texts = collected.result;
      assert.equal(runAtOnce(texts.search()), true);
      const replaced = longestStep(texts.replace(), count);
      assert.ok(replaced.longest <= STEP, `replaces ${replaced.longest}`);
      const { items } = replaced.result as { items: unknown[] };
      assert.equal(items.length, list.length);
      assert.ok(!JSON.stringify(items).includes(TOKEN));
    });
  }

  it('makes the paths of at most 1,000 findings, at most 64 K characters of names at once', async () => {
    const name = `a/${'~'.repeat(8_000)}`;
    const metadata = { [name]: Array.from({ length: 100 }, () => TOKEN) };
    const texts = runAtOnce(FieldTexts.collect({ items: Array.from({ length: 400 }, () => ({ metadata })) }));
    runAtOnce(texts.search());
    const reads = await countReads((counted) => {
      const steps = texts.locate('/root', 1_000);
      let step = steps.next();
      for (; !step.done; step = steps.next()) counted.turn();
      assert.equal(step.value.length, 1_000);
      const shown = name.replaceAll('~', '~0').replaceAll('/', '~1');
      assert.equal(step.value[999]?.path, `/root/items/9/metadata/${shown}/99`);
    });
    const [reader, characters] = reads.longestStep();
    assert.ok(characters <= 64 * 1024, `${String(reader)} reads ${characters}`);
    assert.ok(reads.total < 1024 * 1024, `${reads.total} characters in all`);
  });

  it('cuts a masked text with at most 64 K characters at once', async () => {
    const masked = `${'é'.repeat(100)}${maskOf('github')}`.repeat(2_000);
    const reads = await countReads((counted) => {
      for (const _ of cutMaskedInSteps(masked, 150_000)) counted.turn();
    });
    const [reader, characters] = reads.longestStep();
    assert.ok(characters <= 64 * 1024, `${String(reader)} reads ${characters}`);
  });
});
