import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addMemories, decided, listMemories, MEMORIES } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import { faultyFields } from '../support/team.ts';

const service = await openTestApp();

/** The titles of the memories that a text is held by. */
async function holding(company: SignedIn, q: string): Promise<string[]> {
  const listed = await listMemories(company, `?q=${encodeURIComponent(q)}`);
  return listed.map(({ title }) => title);
}

/** Makes a memory of each content, titled by its place. */
function addContents(company: SignedIn, contents: readonly string[]) {
  return addMemories(
    company,
    'review',
    contents.map((content, n) => ({ title: `No ${n}`, content })),
  );
}

/** A content, and texts that it holds or does not hold. */
interface Held {
  content: string;
  holds: string[];
  lacks?: string[];
}

const HELD: Record<string, Held> = {
  'Latin letters in either case': {
    content: 'The OCELOT sleeps.',
    holds: ['ocelot', 'OCELOT', 'oceLOT sl', 'the', '.'],
    lacks: ['ocelots', 'sleeps the', 'ocelot  sleeps'],
  },
  'German umlauts in either case': {
    content: 'Äpfel und ÖL für die Übung, in der Straße',
    holds: ['äPFEL', 'öl', 'FÜR', 'übung', 'STRAßE'],
    lacks: ['apfel', 'ubung'],
  },
  'Greek in either case': {
    content: 'Η ΑΘΉΝΑ και ο λόγος της οδού, ΟΔΟΣ',
    holds: ['αθήνα', 'ΛΌΓΟ', 'Οδού', 'και ο'],
    lacks: ['αθηνα'],
  },
  'a small final sigma by its capital letter': { content: 'ο λόγος και', holds: ['λόγος', 'ΛΌΓΟΣ'] },
  'a capital sigma at the end of a word by its small letter': {
    content: 'Ο ΛΌΓΟΣ',
    holds: ['λόγος', 'ΛΌΓΟΣ'],
  },
  'Cyrillic in either case': {
    content: 'Москва и ЁЛКА, Їжак',
    holds: ['МОСКВА', 'ёлка', 'їЖАК'],
    lacks: ['елка'],
  },
  'Turkish letters in either case': {
    content: 'İstanbul, ISPARTA, şeker ve çağ',
    holds: ['İSTANBUL', 'istanbul', 'isparta', 'Isparta', 'ŞEKER', 'ÇAĞ'],
  },
  'composed and decomposed accents alike': {
    content: 'caf\u00e9 and cafe\u0301 and \u1e69',
    holds: ['caf\u00e9 and caf\u00e9', 'CAFE\u0301 AND', 's\u0323\u0307', 's\u0307\u0323'],
    lacks: ['cafe and'],
  },
  'the special characters of patterns literally': {
    content: 'is 100% of a_b, C:\\temp\\x and [a-z]*.?',
    holds: ['100% of', '%', 'a_b', '_', 'c:\\temp\\X', '\\', '[a-z]*.?', '*'],
    lacks: ['100%%', 'a%b', 'c_temp', 'a.b', '[ab]', '\\\\', 'is%of'],
  },
  'quotes and SQL syntax literally': {
    content: `it's "so" -- $1; drop`,
    holds: [`it's "so"`, "'", '-- $1;', '"'],
    lacks: [`it''s`, '$2'],
  },
  'emoji and characters beyond the basic plane': {
    content: 'a 🦊 and 👨‍👩‍👧 and 𝒳 and 漢字 and 𠮷',
    holds: ['🦊', '👨‍👩‍👧', '👩', '𝒳', '漢', '𠮷'],
    lacks: ['🐺'],
  },
  'several lines': {
    content: 'one\ntwo\r\n\tthree',
    holds: ['one\ntwo', 'TWO\r\n\tTHREE'],
    lacks: ['one two'],
  },
};

describe('GET /v1/memory/memories with q', () => {
  for (const [what, { content, holds, lacks = [] }] of Object.entries(HELD)) {
    test(`q matches ${what}`, async () => {
      const company = await service.company();
      await addContents(company, [content, 'Nothing.']);
      const found = async (q: string) => (await holding(company, q)).includes('No 0');
      for (const q of holds) assert.equal(await found(q), true, q);
      for (const q of lacks) assert.equal(await found(q), false, q);
    });
  }

  test('q matches text in the title or in the content, but not across both', async () => {
    const company = await service.company();
    await addMemories(company, 'published', [
      { title: 'On ocelots', content: 'They sleep.' },
      { title: 'On cats', content: 'The ocelot sleeps.' },
      { title: 'On badgers', content: 'They dig.' },
    ]);
    assert.deepEqual(await holding(company, 'OCELOT'), ['On cats', 'On ocelots']);
    assert.deepEqual(await holding(company, 'they'), ['On badgers', 'On ocelots']);
    // Not half in the one and half in the other.
    assert.deepEqual(await holding(company, 'ocelots they'), []);
  });

  test('q matches the current text of the memory and not the text before an update', async () => {
    const company = await service.company();
    const [memory] = await addMemories(company, 'published', [{ title: 'Cats', content: 'ocelot' }]);
    const change = { action: 'update', memoryId: memory?.id, title: 'Dogs', content: 'dingo' };
    await decided(company, change);
    assert.deepEqual(await holding(company, 'ocelot'), []);
    assert.deepEqual(await holding(company, 'cats'), []);
    assert.deepEqual(await holding(company, 'dingo'), ['Dogs']);
    assert.deepEqual(await holding(company, 'dogs'), ['Dogs']);
  });

  test('q matches the end of the longest content', async () => {
    const company = await service.company();
    const content = `${'x '.repeat(31_990)}the ocelot`;
    await addContents(company, [content]);
    assert.deepEqual(await holding(company, 'THE OCELOT'), ['No 0']);
  });

  test('a blank q and white space around q are ignored', async () => {
    const company = await service.company();
    await addContents(company, ['The ocelot sleeps.', 'The lynx wakes.']);
    for (const blank of ['', ' ', '\t\n', '\u00a0\u3000']) {
      assert.deepEqual(await holding(company, blank), ['No 1', 'No 0'], JSON.stringify(blank));
    }
    assert.deepEqual(await holding(company, '  ocelot '), ['No 0']);
  });

  test('q accepts at most 300 characters, counted as code points', async () => {
    const company = await service.company();
    await addContents(company, ['🦊'.repeat(301)]);
    assert.deepEqual(await holding(company, '🦊'.repeat(300)), ['No 0']);
    for (const q of ['🦊'.repeat(301), 'x'.repeat(301), ' '.repeat(301)]) {
      const answer = await company.ask.listMemories({ q });
      assert.equal(outcome(answer), '400 invalid_request');
      assert.deepEqual(faultyFields(answer), ['/q']);
    }
  });

  test('returns 400 for a repeated q and for bytes that are not text', async () => {
    const company = await service.company();
    for (const query of ['q=a&q=b', 'q=%00', 'q=%ff', 'q=%ed%a0%80']) {
      const answer = await company.send('GET', `${MEMORIES}?${query}`);
      assert.equal(outcome(answer), '400 invalid_request', query);
    }
  });
});
