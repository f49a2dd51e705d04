import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { ReadDocument } from '../../../worker/extract/document.ts';
import { type Extraction, type Extractor, FileFault } from '../../../worker/extract/extraction.ts';
import { openReadingPool } from '../../../worker/sandbox/reading-pool.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import { readingOf, taskOf, wholeDocument } from '../reading/held-document.ts';

/** A file: its bytes, or its text in UTF-8. */
export type File = string | Uint8Array;

/** A file that another program wrote, from `office/fixtures`. */
export const fixture = (name: string) => readFileSync(new URL(`office/fixtures/${name}`, import.meta.url));

const bytesOf = (content: File) => (typeof content === 'string' ? Buffer.from(content, 'utf8') : content);

/** What an extractor makes of a file, in this process. An encoding that is null is left out. */
export async function extracted(extract: Extractor, content: File, filename?: string): Promise<Extraction> {
  const { encoding = null, ...extraction } = await extract(bytesOf(content), () => undefined, filename);
  return encoding === null ? extraction : { ...extraction, encoding };
}

/** The text of all its parts, with an empty line between them. */
export async function textOf(extract: Extractor, content: File): Promise<string> {
  const { parts } = await extracted(extract, content);
  return parts.map(({ text }) => text).join('\n\n');
}

/** Asserts that a fault is told as people can read it. */
function assertWellTold({ code, message }: FileFault): void {
  assert.match(code, /^[a-z]+(?:_[a-z]+)*$/);
  assert.match(message, /^[A-Z].*\.$/);
}

/** The fault for which a file cannot be read. */
export async function faultOf(extract: Extractor, content: File): Promise<FileFault> {
  const outcome: unknown = await extracted(extract, content).catch((error: unknown) => error);
  assert.ok(outcome instanceof FileFault, `no fault: ${String(outcome)}`);
  assertWellTold(outcome);
  return outcome;
}

/** A test for each row: a file, and the text that it becomes. */
export function testTexts(
  extract: Extractor,
  rows: Readonly<Record<string, readonly [content: File, text: string | RegExp]>>,
): void {
  for (const [title, [content, wanted]] of Object.entries(rows)) {
    test(title, async () => {
      const text = await textOf(extract, content);
      if (typeof wanted === 'string') assert.equal(text, wanted);
      else assert.match(text, wanted);
    });
  }
}

/** A test for each row: the code of a fault, the files that have it, and what its message says or, with `not`, does not say. */
export function testFaults(
  extract: Extractor,
  rows: Readonly<
    Record<string, readonly [code: string, contents: readonly File[], says?: RegExp, not?: RegExp]>
  >,
): void {
  for (const [title, [code, contents, says = /./, not]] of Object.entries(rows)) {
    test(title, async () => {
      for (const content of contents) {
        const fault = await faultOf(extract, content);
        assert.equal(fault.code, code);
        assert.match(fault.message, says);
        if (not !== undefined) assert.doesNotMatch(fault.message, not);
      }
    });
  }
}

/** A file with some bytes replaced, taken out or put in, and perhaps cut off. */
function damaged(content: File): fc.Arbitrary<Uint8Array> {
  const bytes = bytesOf(content);
  const edit = fc.record({
    at: fc.nat(bytes.length),
    removed: fc.nat(3),
    put: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom(...['"', '\n', '{', ',', '\0'].map(bytesOf)),
    ),
  });
  return fc
    .tuple(fc.array(edit, { minLength: 1, maxLength: 5 }), fc.option(fc.nat(bytes.length), { freq: 4 }))
    .map(([edits, end]) => {
      let changed = Buffer.from(bytes);
      for (const { at, removed, put } of edits) {
        changed = Buffer.concat([changed.subarray(0, at), put, changed.subarray(at + removed)]);
      }
      return end === null ? changed : changed.subarray(0, end);
    });
}

/** Asserts that a damaged file is read all the same, or refused for a fault that is told; nothing else. */
async function assertReadOrTold(extract: Extractor, content: File): Promise<void> {
  try {
    const { title, date = null, parts } = await extracted(extract, content);
    assert.match(date ?? '2026-01-31', /^\d{4}-\d\d-\d\d$/);
    for (const text of [title ?? '', ...parts.map((part) => part.text)]) {
      assert.ok(text.isWellFormed() && !text.includes('\0'), 'can be stored');
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    assertWellTold(error);
  }
}

/** The same of a file with any damage. */
export async function assertDamageIsTold(extract: Extractor, content: File): Promise<void> {
  const read = (bytes: Uint8Array) => assertReadOrTold(extract, bytes);
  await fc.assert(fc.asyncProperty(damaged(content), read), { numRuns: 200 });
}

/** The same of a sound archive, one of whose files is damaged. */
export async function assertDamagedMembersAreTold(
  extract: Extractor,
  members: readonly ZipMember[],
): Promise<void> {
  const put = fc.constantFrom('<', '>', '&', '"', '/', '/>', '&#0;', '&#xd800;', '__proto__', '\0', '');
  const edits = fc.array(fc.tuple(fc.nat(5_000), put), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.nat(members.length - 1), edits, async (chosen, changes) => {
      let content = String(members[chosen]?.content);
      for (const [at, text] of changes) {
        const place = at % (content.length + 1);
        content = content.slice(0, place) + text + content.slice(place + 1);
      }
      const changed = members.map((each, index) => (index === chosen ? { ...each, content } : each));
      await assertReadOrTold(extract, writeZip(changed));
    }),
    { numRuns: 150 },
  );
}

/** What the process that reads files makes of one: without the service's environment and with few permissions. */
export async function extractedInProcess(
  t: TestContext,
  mediaType: string,
  content: File,
): Promise<Extraction> {
  const pool = openReadingPool({ seconds: 60, megabytes: 512 });
  t.after(() => pool.close());
  const reading = readingOf({ signal: t.signal });
  return partsOf(await pool.read(taskOf(content, mediaType), reading, wholeDocument));
}

/** A document as if it had not been cut: each part of a short one is one chunk. */
export function partsOf({ title, chunks, unread }: ReadDocument): Extraction {
  return {
    title,
    unread,
    parts: chunks.map(({ text, place }) => {
      const given = Object.entries(place).filter(([name, value]) => name !== 'headings' && value !== null);
      return { text, place: given.length === 0 ? null : Object.fromEntries(given) };
    }),
  };
}
