import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Extractor, FileFault } from '../../../worker/extract/extraction.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';

type Edit = [at: number, put: string];

function edited(content: string | Uint8Array, edits: readonly Edit[]): string {
  let text = String(content);
  for (const [at, put] of edits) {
    const place = at % (text.length + 1);
    text = text.slice(0, place) + put + text.slice(place + 1);
  }
  return text;
}

/**
 * Asserts that an archive which is sound, but one of whose files is not, is read all the same or refused for a
 * fault that is told; nothing else.
 */
export async function assertDamagedMembersAreTold(
  extract: Extractor,
  members: readonly ZipMember[],
): Promise<void> {
  const put = fc.constantFrom('<', '>', '&', '"', '/', '/>', '&#0;', '&#xd800;', '__proto__', '\0', '');
  const edits = fc.array(fc.tuple(fc.nat(5_000), put), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.nat(members.length - 1), edits, async (chosen, changes) => {
      const changed = members.map((member, index) =>
        index === chosen ? { ...member, content: edited(member.content, changes) } : member,
      );
      try {
        const { title, parts } = await extract(writeZip(changed), () => undefined);
        for (const text of [title ?? '', ...parts.map((part) => part.text)]) {
          assert.ok(text.isWellFormed() && !text.includes('\0'), 'can be stored');
        }
      } catch (error) {
        if (!(error instanceof FileFault)) throw error;
        assert.match(error.message, /^[A-Z].*\.$/);
      }
    }),
    { numRuns: 150 },
  );
}
