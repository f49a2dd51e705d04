import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAnswer } from '../../cli/commands/consolidation.ts';
import { newId } from '../../shared/ids.ts';
import type { Capture } from '../../shared/schemas/captures.ts';

const id = newId();
const captures = [{ id } as Capture];
const ITEM = {
  captureIds: [id],
  action: 'publish',
  title: 'Restart',
  content: 'Run:\n\n```sh\nsystemctl restart gateway\n```\n',
};
const parse = (text: string) => parseAnswer(text, captures, 'model');

describe('the answer of a program that consolidates', () => {
  test('is read as bare JSON and in a fenced block, also if a content has a fenced block', () => {
    const answer = JSON.stringify({ items: [ITEM] }, null, 2);
    const fence = '```';
    for (const text of [
      answer,
      `${fence}json\n${answer}\n${fence}\n`,
      `Here it is:\n\n${fence}\n${answer}\n${fence}`,
    ]) {
      assert.deepEqual(parse(text), [ITEM]);
    }
  });

  test('cannot name a layer, a memory to replace, a vector or metadata', () => {
    for (const more of [{ scope: {} }, { supersedes: newId() }, { embedding: [1] }, { metadata: { a: 1 } }]) {
      assert.throws(() => parse(JSON.stringify([{ ...ITEM, ...more }])), /the answer of model is not valid/);
    }
  });

  test('is refused if it is not JSON', () => {
    for (const text of ['', 'I cannot do this.', '```\nnothing\n```']) {
      assert.throws(() => parse(text), /it is not JSON/);
    }
  });
});
