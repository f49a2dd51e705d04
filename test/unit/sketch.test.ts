import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MIN_SIMILARITY } from '../../db/queries/sources/changes.ts';
import { prepareChunksNow } from '../../shared/text/prepared-chunks.ts';
import { SketchBuilder, similarity, type TextSketch } from '../../shared/text/terms/sketch.ts';

const SEED = 20_261;

function sketchOf(text: string, team = 'team'): TextSketch | null {
  const builder = new SketchBuilder();
  for (const { sketch } of prepareChunksNow(team, { text })) builder.add(sketch);
  return builder.finish();
}

/** The estimated similarity of two texts, and whether they have a band in common, so that one finds the other. */
function compare(a: string, b: string): { found: boolean; estimate: number } {
  const [first, second] = [sketchOf(a), sketchOf(b)];
  assert.ok(first !== null && second !== null);
  const bands = new Set(first.bands);
  return {
    found: second.bands.some((band) => bands.has(band)),
    estimate: similarity(first.signature, second.signature),
  };
}

/** The Jaccard index of the shingles of two texts, without an estimate. */
function exact(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => {
    const words = text.split(/\s+/);
    return new Set(words.slice(1).map((word, n) => `${words[n]} ${word}`));
  }) as [Set<string>, Set<string>];
  const common = first.intersection(second).size;
  return common / (first.size + second.size - common);
}

const word = fc.integer({ min: 0, max: 5000 }).map((number) => `word${number}`);
const longText = fc.array(word, { minLength: 150, maxLength: 1500 });
const cjk = fc
  .array(fc.integer({ min: 0x4e00, max: 0x9fa5 }), { minLength: 200, maxLength: 800 })
  .map((points) => String.fromCodePoint(...points));

describe('sketches of texts', () => {
  test('a long text with small edits is found, and its similarity is about exact', () => {
    const edit = fc.tuple(fc.nat(), fc.constantFrom('replace', 'insert', 'delete'));
    fc.assert(
      fc.property(longText, fc.array(edit, { minLength: 1, maxLength: 4 }), (words, edits) => {
        const changed = [...words];
        for (const [place, kind] of edits) {
          const at = place % changed.length;
          changed.splice(at, kind === 'insert' ? 0 : 1, ...(kind === 'delete' ? [] : ['edited']));
        }
        const [a, b] = [words.join(' '), changed.join(' ')];
        const { found, estimate } = compare(a, b);
        assert.ok(found);
        assert.ok(Math.abs(estimate - exact(a, b)) < 0.2, `${estimate} instead of ${exact(a, b)}`);
        assert.ok(estimate >= 0.7);
      }),
      { numRuns: 100, seed: SEED },
    );
  });

  const texts = fc.sample(fc.uniqueArray(word, { minLength: 60, maxLength: 60 }), {
    numRuns: 300,
    seed: SEED,
  });
  /** The share of the texts that are named as similar to what is made of them. */
  const named = (made: (words: string[], n: number) => readonly [string[], string[]]) =>
    texts.filter((words, n) => {
      const [one, other] = made(words, n).map((some) => some.join(' ')) as [string, string];
      const { found, estimate } = compare(one, other);
      return found && estimate >= MIN_SIMILARITY;
    }).length / texts.length;

  test('most texts of twenty words are found after one of them is changed, and two forms with different content are not', () => {
    const share = named((words, n) => [words.slice(0, 20), words.slice(0, 20).with(n % 20, 'edited')]);
    assert.ok(share > 0.9, `${share}`);
    // Two words of content after every ten words of the form.
    const filled = (words: string[], by: string) =>
      words.flatMap((given, n) => (n % 10 === 9 ? [given, `${by}${n}`, `${n}${by}`] : [given]));
    const ofForms = named((words) => [filled(words, 'one'), filled(words, 'other')]);
    assert.ok(ofForms < 0.02, `${ofForms}`);
  });

  test('unrelated texts are not found', () => {
    fc.assert(
      fc.property(longText, longText, (a, b) => {
        const texts = [a.join(' '), b.join(' ')] as const;
        fc.pre(exact(...texts) < 0.05);
        const { found, estimate } = compare(...texts);
        assert.ok(!found && estimate < 0.2);
      }),
      { numRuns: 100, seed: SEED },
    );
  });

  test('a text in a script without spaces is found after a small edit, and other texts are not', () => {
    fc.assert(
      fc.property(cjk, cjk, fc.nat(), (text, other, place) => {
        const at = place % text.length;
        const near = compare(text, `${text.slice(0, at)}水${text.slice(at + 1)}`);
        assert.ok(near.found && near.estimate > 0.8);
        assert.ok(compare(text, other).estimate < 0.2);
      }),
      { numRuns: 50, seed: SEED },
    );
  });

  const TEXT = 'The pump in hall four lost pressure again, so the crew closed valve nine.';

  test('case, punctuation and line breaks make no difference, and texts of two Teams cannot be compared', () => {
    const other = 'THE PUMP in hall four\nlost pressure again so the crew – closed – valve nine';
    assert.deepEqual(compare(TEXT, other), { found: true, estimate: 1 });
    const [one, two] = ['one', 'two'].map((team) => new Set(sketchOf(TEXT, team)?.bands));
    assert.ok(one?.size && two && one.isDisjointFrom(two));
  });

  test('a text of fewer than ten words has no sketch', () => {
    assert.equal(sketchOf('one two three four five six seven eight nine'), null);
    assert.notEqual(sketchOf('one two three four five six seven eight nine ten'), null);
    assert.equal(sketchOf('— … — '.repeat(20)), null);
  });

  test('the stored numbers of a text do not change', () => {
    const sketch = sketchOf(`${TEXT} 水泵漏水了`);
    assert.ok(sketch !== null);
    assert.deepEqual(Array.from(sketch.bands.subarray(0, 3)), [7095355, 2102435667, 766931464]);
    assert.equal(sketch.signature.subarray(0, 8).toString('hex'), '19b5a69b93059319');
  });
});
