import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openZip } from '../../../worker/extract/office/zip-archive.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import { testFaults } from './extraction.ts';

const MIB = 1024 * 1024;
const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * MIB);
const many = (length: number, content: Uint8Array): ZipMember[] =>
  Array.from({ length }, (_, index) => ({ name: `n${index}`, content }));

/** Opens an archive and unpacks all of it. */
async function unpack(content: Uint8Array) {
  const archive = await openZip(content);
  const parts = [];
  for (const name of archive.names) {
    const content = Buffer.from((await archive.read(name)) ?? []).toString();
    parts.push({ text: `${name} ${content}`, place: null });
  }
  assert.equal(await archive.read('other'), null);
  return { title: null, parts };
}

describe('a ZIP archive', () => {
  test('gives its files by name, and nothing for an unknown name', async () => {
    const { parts } = await unpack(writeZip([{ name: 'folder/größe.txt', content: '水泵' }]));
    assert.deepEqual(parts, [{ text: 'folder/größe.txt 水泵', place: null }]);
  });

  test('can have large parts that are packed well', async () => {
    assert.equal((await unpack(writeZip(many(3, zeros(30))))).parts.length, 3);
  });

  testFaults(unpack, {
    'is refused above the limits of a document: total size, compression ratio, number of files': [
      'zip_bomb',
      [many(1, zeros(33)), many(9, zeros(30)), many(10_001, zeros(0))].map(writeZip),
    ],
    'is refused if it unpacks to more than declared': [
      'zip_bomb',
      [writeZip([{ name: 'a', content: zeros(1), claimedSize: 10 }])],
    ],
    'is refused if it unpacks to less than declared, is damaged, or has a duplicate or an outside name': [
      'corrupt',
      [
        writeZip([{ name: 'a', content: 'text', claimedSize: 10 }]),
        writeZip([{ name: 'a', content: 'x', wrongChecksum: true }]),
        writeZip(['x', 'y'].map((content) => ({ name: 'a', content }))),
        writeZip([{ name: '../a', content: 'x' }]),
      ],
    ],
  });
});
