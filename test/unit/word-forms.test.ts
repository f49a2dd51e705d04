import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chunkTerms, queryTerms } from '../../shared/text/terms/terms.ts';
import { countWords } from '../../shared/text/terms/words.ts';

const TEAM = '7b0f3c1e-4a52-4b6e-9d53-0a3f1f0f5a11';

/** The score of a text for a query if every idf is 1; 0 if the text is no candidate. */
function score(text: string, query: string): number {
  const chunk = chunkTerms(TEAM, text);
  const { keys, dims, factors, guesses } = queryTerms(TEAM, query);
  const stored = new Set(chunk.keys);
  // A sign is guessed in all bigrams that begin with it.
  const guessed = Math.max(
    0,
    ...guesses.keys.map((key, i) => (stored.has(key) ? guesses.percents[i]! / 100 : 0)),
  );
  if (stored.isDisjointFrom(new Set(keys))) return guessed;
  const weights = new Map([...chunk.dims].map((dim, i) => [dim, chunk.weights[i]!]));
  return dims.reduce((sum, dim, i) => sum + factors[i]! * (weights.get(dim) ?? 0), guessed);
}

function assertFound(text: string, query: string): void {
  assert.ok(score(text, query) > 0, `${query} does not find ${text}`);
}

const parts = (text: string) => [...countWords(text).parts.keys()];
const joined = (text: string) => [...countWords(text).joined.keys()];
const symbols = (text: string) => [...countWords(text).symbols.keys()];

describe('names in program text', () => {
  const names: Readonly<Record<string, string>> = {
    HTTPServer: 'http server',
    parseJSON2: 'parse json2 json 2',
    IPv6Address: 'ipv6 i pv6 ipv 6 address',
    getURLsFor: 'get urls for',
    OAuth2Token: 'oauth2 o auth2 oauth 2 token',
    '3DModel': '3d 3 d model',
    sha256: 'sha 256',
    Q3: 'q 3',
    ΌνομαΠελάτη: 'όνομα πελάτη',
    İstanbulŞehir: 'i\u0307stanbul şehir',
    𝐠𝐞𝐭𝐔𝐬𝐞𝐫: 'get user',
  };
  for (const [name, expected] of Object.entries(names)) {
    test(`the parts of ${name} are words`, () => {
      assert.deepEqual(new Set(parts(name)), new Set(expected.split(' ')));
    });
  }

  test('a word in one case, a plural of capitals and a code with many digits have no parts', () => {
    const words = 'user User USER APIs VPNs 9f86d081 2024 ÉCOLE 한국어 𐐀𐐁'.split(' ');
    assert.deepEqual(words.flatMap(parts), []);
  });

  test('a name and its words find each other, as do names that are joined in another way', () => {
    const forms = ['getUserById', 'get user by id', 'get_user_by_id', 'get-user-by-id', 'GET_USER_BY_ID'];
    for (const text of forms) for (const query of forms) assertFound(text, query);
  });

  test('a letter with marks before a name does not move its parts', () => {
    assert.deepEqual(parts('J\u030ca İ J\u030c getUserById'), ['get', 'user', 'by', 'id']);
  });

  test('words in camel case find the name, and the name finds the words', () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 5 }), (all) => {
        const name = all
          .map((one, index) => (index === 0 ? one : one[0]!.toUpperCase() + one.slice(1)))
          .join('');
        assert.ok(new Set(all).isSubsetOf(new Set(parts(name))));
        assertFound(`see ${name} there`, all.join(' '));
        assertFound(`see ${all.join(' ')} there`, name);
      }),
    );
  });

  test('a word of many humps has few parts', () => {
    assert.ok(parts('aB'.repeat(32)).length <= 64);
    assert.deepEqual(parts('aB'.repeat(4000)), []);
  });
});

describe('joined words', () => {
  const pairs: Readonly<Record<string, readonly string[]>> = {
    email: ['e-mail', 'E-Mail-Adresse', 'e\u2011mail'],
    wifi: ['Wi-Fi'],
    pocs30017: ['POCS-30017'],
    obrien: ["O'Brien", 'O’Brien', 'O´Brien'],
    hawaii: ['Hawaiʻi'],
    обєкт: ['об’єкт', 'обʼєкт'],
    צהל: ['צה"ל'],
    collegi: ['col·legi'],
    loreal: ["L'Oreal"],
    '1250000': ['12,50,000'],
    '4930123456': ['+49 30 123456', '+49 (0)30 123456'],
    '0301234567': ['(030) 123-4567', '030/1234567'],
    '0612345678': ['06 12 34 56 78'],
    '5551234567': ['555.123.4567'],
    GB29NWBK60161331926819: ['GB29 NWBK 6016 1331 9268 19'],
    '4111111111111111': ['4111 1111 1111 1111'],
    '20240115': ['2024-01-15'],
    '001a2b3c4d5e': ['00:1A:2B:3C:4D:5E'],
    usa: ['U.S.A.'],
    tcpip: ['TCP/IP'],
    att: ['AT&T'],
  };
  test('a word and the same word with joiners find each other', () => {
    for (const [together, forms] of Object.entries(pairs)) {
      for (const divided of forms) {
        assertFound(`It says ${divided}, or so.`, together);
        if (!divided.includes('-Adresse')) assertFound(`It says ${together}, or so.`, divided);
      }
    }
  });

  test('C++ and C# are other words than C', () => {
    assert.deepEqual(joined('C++, C# and F#. C++17, g++'), ['c++', 'c#', 'f#', 'g++']);
    for (const name of ['C++', 'C#']) assert.ok(score(`We use ${name}.`, name) > score('We use C.', name));
    assert.deepEqual(joined('a + b ++ c'), []);
  });

  test('the part after an apostrophe stays a word', () => {
    assert.ok(countWords("l'eau d'accord").words.has('eau'));
    assertFound("l'eau", 'eau');
  });

  test('versions, times, decimals, paths and addresses are not joined', () => {
    const texts = [
      '1.2.3',
      '10:30',
      '3.14',
      'src/db/driver',
      'ada@example.org',
      'one 2 three 4',
      '1\n250\n000',
    ];
    for (const text of texts) assert.deepEqual(joined(text), [], text);
  });

  test('a number ends where its groups end', () => {
    assert.deepEqual(joined('in 1999 250 people'), []);
    assert.deepEqual(joined('12 345 6'), ['12345']);
    assert.deepEqual(joined('IBAN DE89 3704 0044 0532 0130 00 is mine'), ['de89370400440532013000']);
  });

  test('a number finds the same number with any separator of thousands', () => {
    const separator = fc.constantFrom(',', '.', ' ', "'", '’', '\u00a0', '\u2009', '\u202f');
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 999_999_999 }), separator, (number, mark) => {
        const divided = String(number).replace(/\B(?=(?:\d{3})+$)/g, mark);
        assert.ok(joined(`of ${divided} in all`).includes(String(number)), divided);
        assertFound(`of ${divided} in all`, String(number));
        assertFound(`of ${number} in all`, divided);
      }),
    );
  });
});

test('an inflected or mistyped word still matches and scores', () => {
  assert.ok(score('Die Verbindungen brachen ab', 'Verbindung') > 0.5);
  assert.ok(score('connection refused', 'connecton refused') > score('connection refused', 'refused'));
});

describe('typing errors', () => {
  // None of them is a word that begins like the one that is meant, so that only a guess finds it.
  const LIKELY: Readonly<Record<string, string>> = {
    bicicles: 'bicycles',
    definately: 'definitely',
    fahrad: 'fahrrad',
    goverment: 'government',
    invoces: 'invoices',
    neccessary: 'necessary',
    recieved: 'received',
    seperate: 'separate',
    превет: 'привет',
    ιμερα: 'ημερα',
  };
  for (const [typed, meant] of Object.entries(LIKELY)) {
    test(`${typed} finds ${meant}, alone and beside another word`, () => {
      for (const query of [typed, `${typed} xylophone`]) {
        const { guesses } = queryTerms(TEAM, query);
        const stored = new Set(chunkTerms(TEAM, meant).keys);
        const counted = guesses.keys.flatMap((key, nth) => (stored.has(key) ? guesses.percents[nth]! : []));
        assert.equal(Math.min(...counted), -90, query);
      }
    });
  }

  test('a guess that is another form of the word counts also if the word exists', () => {
    // "case" is another ending of "casa" and a letter that sounds alike.
    const { guesses } = queryTerms(TEAM, 'casa');
    const [key] = chunkTerms(TEAM, 'case').keys;
    assert.ok(guesses.percents[guesses.keys.indexOf(key!)]! > 0);
  });
});

describe('one sign', () => {
  /** Texts, each with the signs that find it. */
  const texts: Readonly<Record<string, string>> = {
    我家的猫很可爱: '猫 爱 我',
    有𠀀字: '𠀀',
    私の猫: 'の',
    カネダ: 'ネ',
    หนึ่งปีก่อน: 'ปี',
    '这是 猫 。': '猫',
    'Ship it 🚀 now': '🚀',
    'Fine 👍🏽': '👍',
    'Fine 👍': '👍🏽',
    'My 👨‍👩‍👧 at home': '👨‍👩‍👧 👨',
    'from 🇩🇪🇫🇷': '🇩🇪',
    'from 🏴󠁧󠁢󠁥󠁮󠁧󠁿': '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'I ❤ it': '❤️',
    'I ❤️ it': '❤',
    'first 1️⃣': '1⃣',
    '5 €, § 5, 20°C, the ∑ of all, Walrus™': '€ § ° ∑ ™',
  };
  test('a single sign finds a text that contains it, and none without it', () => {
    for (const [text, signs] of Object.entries(texts)) {
      for (const sign of signs.split(' ')) {
        assertFound(text, sign);
        assert.equal(score('狗在 カメラ 5 $ ☀️ 🇫🇷 🎉🏽 คน', sign), 0, `${sign} of ${text}`);
      }
    }
  });

  test('a word after an emoji with a variation selector is found', () => {
    assertFound('✔️Done', 'done');
  });

  test('a sign in a longer query has no keys of its own', () => {
    const { keyTexts } = queryTerms(TEAM, 'the 猫 of the other house');
    assert.ok(!keyTexts.includes('猫*'));
  });

  test('the flags, tags and skin tones of a text are symbols of their own or none', () => {
    assert.deepEqual(symbols('🇩🇪🇫🇷 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩'), ['🇩🇪', '🇫🇷', '👍', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🇩']);
    assert.deepEqual(symbols('+ = < > | ~ ^ ` $ ─ █ ´ \ufffd'), []);
  });
});

test('what is additional to the words of a text is at most a few times as long as the text', () => {
  const piece = fc.constantFrom(..."aB 1 12 x9 - . , ' ( é 猫 🇩 👍 + # 250".split(' '), ' ');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 400, size: 'max' }), (pieces) => {
      const text = pieces.join('');
      const counted = countWords(text);
      const added = [counted.parts, counted.joined, counted.signs, counted.symbols].flatMap((counts) =>
        Array.from(counts, ([term, count]) => term.length * count),
      );
      assert.ok(added.reduce((sum, length) => sum + length, 0) <= 4 * text.length);
    }),
  );
});
