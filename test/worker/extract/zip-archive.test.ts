import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FileFault } from '../../../worker/extract/extraction.ts';
import { openZip } from '../../../worker/extract/office/zip-archive.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';

const MIB = 1024 * 1024;

/** What comes of opening an archive and unpacking all of it: the code of the fault, or nothing. */
async function codeOf(members: readonly ZipMember[]): Promise<string | null> {
  try {
    const archive = await openZip(writeZip(members));
    for (const name of archive.names) await archive.read(name);
    return null;
  } catch (error) {
    assert.ok(error instanceof FileFault, String(error));
    return error.code;
  }
}

describe('a ZIP archive', () => {
  test('gives its files by name, and nothing for an unknown name', async () => {
    const archive = await openZip(writeZip([{ name: 'folder/größe.txt', content: '水泵' }]));
    assert.deepEqual([...archive.names], ['folder/größe.txt']);
    assert.equal(Buffer.from((await archive.read('folder/größe.txt')) ?? []).toString(), '水泵');
    assert.equal(await archive.read('other'), null);
  });

  test('is refused above the limits of a document: total size, compression ratio, number of files', async () => {
    const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * MIB);
    assert.equal(await codeOf([{ name: 'one', content: zeros(33) }]), 'zip_bomb');
    const small = Array.from({ length: 9 }, (_, index) => ({ name: `n${index}`, content: zeros(30) }));
    assert.equal(await codeOf(small), 'zip_bomb');
    assert.equal(await codeOf(small.slice(0, 3)), null, 'a large part that is packed well is no bomb');
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `n${index}`, content: '' }));
    assert.equal(await codeOf(many), 'zip_bomb');
  });

  test('is refused if it unpacks to more or less than declared', async () => {
    assert.equal(await codeOf([{ name: 'a', content: Buffer.alloc(MIB), claimedSize: 10 }]), 'zip_bomb');
    assert.equal(await codeOf([{ name: 'a', content: 'text', claimedSize: 10 }]), 'corrupt');
  });

  test('is refused if a file is encrypted, damaged or has a duplicate name', async () => {
    assert.equal(await codeOf([{ name: 'a', content: 'x', encrypted: true }]), 'locked');
    assert.equal(await codeOf([{ name: 'a', content: 'x', wrongChecksum: true }]), 'corrupt');
    assert.equal(
      await codeOf([
        { name: 'a', content: 'x' },
        { name: 'a', content: 'y' },
      ]),
      'corrupt',
    );
    assert.equal(await codeOf([{ name: '../a', content: 'x' }]), 'corrupt');
  });
});
