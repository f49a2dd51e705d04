import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePassages } from '../../core/search/merge-passages.ts';

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
