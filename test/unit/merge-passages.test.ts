import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePassages } from '../../core/search/answer.ts';

test('passages are merged in the order of the document, and only gaps are marked', () => {
  const passages = [
    { ordinal: 7, text: 'seven' },
    { ordinal: 3, text: 'three' },
    { ordinal: 4, text: 'four' },
  ];
  assert.equal(mergePassages(passages), 'three\n\nfour\n\n[…]\n\nseven');
  assert.equal(mergePassages(passages.slice(0, 1)), 'seven');
  assert.equal(mergePassages([]), '');
});

test('a table goes on with its next row, or with the rest of a row, without its heading row again', () => {
  const head = '| 😀 |\n| - |\n';
  const passages = [
    { ordinal: 1, text: `${head}| one`, repeated: 0 },
    { ordinal: 2, text: `${head}| one more |`, repeated: 14 },
    { ordinal: 3, text: `${head}| three |`, repeated: 12 },
    { ordinal: 5, text: `${head}| five |`, repeated: 12 },
  ];
  assert.equal(mergePassages(passages), `${head}| one one more |\n| three |\n\n[…]\n\n${head}| five |`);
});
