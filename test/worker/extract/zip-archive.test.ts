import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openZip } from '../../../worker/extract/office/zip-archive.ts';
import { findArchive } from '../../../worker/extract/office/zip-end.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import { testFaults } from './extraction.ts';

const MIB = 1024 * 1024;
const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * MIB);
const many = (length: number, content: Uint8Array): ZipMember[] =>
  Array.from({ length }, (_, index) => ({ name: `n${index}`, content }));

const END_SIZE = 22;
/** The archive of one file, `a`, with this text. */
const one = (content: string) => writeZip([{ name: 'a', content }]);

/** The same archive in ZIP64: a larger end record, and where it is, before the usual one. */
function inZip64(archive: Buffer): Buffer {
  const end = archive.subarray(-END_SIZE);
  const larger = Buffer.alloc(56);
  larger.write('PK\x06\x06', 'latin1');
  larger.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) larger.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), at);
  larger.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  larger.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(archive.length - END_SIZE), 8);
  locator.writeUInt32LE(1, 16);
  const usual = Buffer.from(end).fill(0xff, 8, 20);
  return Buffer.concat([archive.subarray(0, -END_SIZE), larger, locator, usual]);
}

/** The same archive with a comment, which can state another length. */
function withComment(archive: Buffer, comment: string, length = Buffer.byteLength(comment)): Buffer {
  const commented = Buffer.concat([archive, Buffer.from(comment)]);
  commented.writeUInt16LE(length, archive.length - 2);
  return commented;
}

/** An archive in which another one is, as it is. */
const outer = (content: Uint8Array) => Buffer.concat([one('outer').subarray(0, 20), content]);

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

  test('can have other bytes before and after it, also in ZIP64 and with a comment', async () => {
    const junk = [
      '',
      '\n',
      '\0'.repeat(100_000),
      '<!-- scanned -->\r\n',
      'PK\x05\x06',
      `PK\x05\x06${'\0'.repeat(30)}`,
    ];
    for (const archive of [one('x'), inZip64(one('x')), withComment(one('x'), 'PK\x05\x06 made by y')]) {
      for (const before of junk) {
        for (const after of junk) {
          const file = Buffer.concat([Buffer.from(before), archive, Buffer.from(after)]);
          const { parts } = await unpack(file);
          assert.deepEqual(
            parts,
            [{ text: 'a x', place: null }],
            JSON.stringify([before, after]).slice(0, 99),
          );
        }
      }
    }
  });

  test('is read if its places count from the start of the file, as behind a program that unpacks it', async () => {
    const stub = 'MZ program';
    const file = Buffer.concat([Buffer.from(stub), one('x')]);
    const directory = file.indexOf('PK\x01\x02');
    file.writeUInt32LE(stub.length, directory + 42);
    file.writeUInt32LE(directory, file.length - 6);
    assert.deepEqual((await unpack(file)).parts, [{ text: 'a x', place: null }]);
  });

  test('can state too long a comment, or have a signature behind its directory', async () => {
    const archive = one('x');
    const signed = Buffer.concat([
      archive.subarray(0, -END_SIZE),
      Buffer.from('PK\x05\x05\x01\0s', 'latin1'),
      archive.subarray(-END_SIZE),
    ]);
    for (const file of [withComment(archive, 'cut', 500), signed]) {
      assert.deepEqual((await unpack(file)).parts, [{ text: 'a x', place: null }]);
    }
  });

  const zip64 = inZip64(one('x'));
  const elsewhere = Buffer.from(zip64);
  elsewhere.writeBigUInt64LE(1n, zip64.length - END_SIZE - 12);
  testFaults(unpack, {
    'is refused if there are two, one is cut off around another one, or its end is somewhere else': [
      'corrupt',
      [
        Buffer.concat([one('x'), one('y')]),
        Buffer.concat([one('x'), Buffer.from('\n'), one('y'), Buffer.from('\n')]),
        outer(one('x')),
        outer(zip64),
        elsewhere,
        one('x').subarray(0, -1),
        one('x').subarray(1),
        Buffer.from('PK\x05\x06'),
        Buffer.concat([one('x').subarray(0, -END_SIZE), Buffer.from('PK\x05\x06'.repeat(100_000))]),
      ],
    ],
  });

  test('is looked for in a bounded number of places', () => {
    let looks = 0;
    const file = new Proxy(Buffer.from('PK\x05\x06'.repeat(100_000)), {
      get: (target, name) => {
        if (name === 'lastIndexOf') looks += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    assert.equal(findArchive(file), null);
    assert.ok(looks <= 1_000, `${looks}`);
  });
});
