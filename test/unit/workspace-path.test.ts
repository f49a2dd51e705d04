import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  foldCase,
  foldPath,
  MAX_PATH_BYTES,
  MAX_SEGMENT_BYTES,
  parseWorkspacePath,
  workspacePath,
} from '../../shared/formats/workspace-path.ts';
import { newId } from '../../shared/ids.ts';

const CLIENT = newId();

/** The fault of a path. */
function faultOf(text: string): string {
  const read = parseWorkspacePath(text);
  assert.equal(typeof read, 'string', `${JSON.stringify(text)} was taken`);
  return read as string;
}

/** Asserts that a path is accepted unchanged. */
function assertTaken(text: string): void {
  const read = parseWorkspacePath(text);
  assert.ok(typeof read !== 'string', `${JSON.stringify(text)} was refused`);
  assert.equal(read.path, text);
  assert.equal(workspacePath(read.clientId, read.name), text);
}

/** Names that no file and no folder can have, by their fault. */
const BAD_NAMES: Record<string, readonly string[]> = {
  'an empty segment': [''],
  'a segment . or ..': ['.', '..'],
  'ends with . or a space': ['a.', 'a ', '...', ' ', '. .', 'a. ', 'con.', '.git.', '.git '],
  '< > : " | ? * \\': [
    [...'<>:"|?*\\'].map((sign) => `a${sign}b`),
    // A drive, a share, alternate streams, and a way up that only Windows sees.
    ['C:', 'c:a', 'file.txt:stream', 'a::$DATA', '.git::$INDEX_ALLOCATION', '..\\..\\a', '\\\\host\\share'],
  ].flat(),
  'a control character': [
    Array.from({ length: 0x20 }, (_, code) => `a${String.fromCharCode(code)}`),
    ['a\u007fb', 'a\u0080', '\u009fa', '\u0085'],
  ].flat(),
  'that Windows reserves': [
    [...'0123456789¹²³'].flatMap((digit) => [`com${digit}`, `LPT${digit}`]),
    'con prn aux nul conin$ conout$ CON Nul nul.txt NUL.tar.gz com1.log COM¹.txt CONIN$.a'.split(' '),
    ['aux .md', 'con  .x.y'],
  ].flat(),
  'a segment .git': [
    ['.git', '.GIT', '.Git', 'git~1', 'GIT~1'],
    // These characters are invisible, and HFS+ ignores them.
    ['.g\u200cit', '\u200d.git', '.git\u202e', '\ufeff.GIT', 'g\u206ait~1', '.\u200fg\u206fit'],
  ].flat(),
  'a lone surrogate': ['a\ud800', '\udc00b', '\udc00\ud800'],
  'composed form (NFC)': ['e\u0301', 'A\u030angström', '\u212b', '\u1100\u1161', 'a\u0301\u0327', '\u2126'],
  'more than 255 bytes': ['a'.repeat(256), 'é'.repeat(128), '語'.repeat(86), `${'😀'.repeat(63)}abcd`],
};

const GOOD_NAMES = [
  'a a.md .env .gitignore ..a a..b ...a -rf ~ $HOME %2e%2e # &'.split(' '),
  'git git~2 .git2 a.git .gitattributes x.git~1 .gıt ․git'.split(' '),
  'console con-1 com com10 lpt nul1 nulл aux_ a.con com⁴ conin prn-con'.split(' '),
  'ΐ.txt Straße ıİ файл קובץ हिन्दी ไทย 日本語 한국어 👩‍👩‍👧.png 𝒳 ａｂｃ \ufffd a\u0332'.split(' '),
  [' a', 'a b', 'Zażółć gęślą jaźń.md', 'مستند ١', 'a\u00a0', 'a\u200bb', 'a\u2028b'],
  ['a'.repeat(255), `${'é'.repeat(127)}a`, '語'.repeat(85), `${'😀'.repeat(63)}abc`],
].flat();

/** Positions of a name in a path: the file, a folder, deeper, and in a client. */
const PLACES: readonly ((name: string) => string)[] = [
  (name) => `team/${name}`,
  (name) => `team/${name}/b`,
  (name) => `team/a/${name}`,
  (name) => `clients/${CLIENT}/${name}`,
  (name) => `clients/${CLIENT}/a/${name}/b`,
];

describe('a path of the workspace', () => {
  for (const [what, names] of Object.entries(BAD_NAMES)) {
    test(`a path is refused if a segment has this fault: ${what}`, () => {
      for (const name of names) {
        for (const at of PLACES) {
          const fault = faultOf(at(name));
          assert.ok(fault.includes(what), `${JSON.stringify(at(name))} ${fault}`);
        }
      }
    });
  }

  test('a path is accepted unchanged in every script and if it only resembles a fault', () => {
    for (const name of GOOD_NAMES) for (const at of PLACES) assertTaken(at(name));
  });

  test('a path must begin with team/ or clients/<clientId>/ and name a file', () => {
    const faults: readonly (readonly [RegExp, string])[] = [
      [
        /^must begin with team\/ or clients\//,
        `a team clients clients/${CLIENT} teams/a Team/a client/a/b Clients/${CLIENT}/a ${CLIENT}/a tеam/a ~/team/a`,
      ],
      [/segment \. or \.\./, '../team/a ./team/a team/../a team/a/.. team/./a clients/../a'],
      [/empty segment/, ` / /team/a //team/a team//a team/ clients//a clients/${CLIENT}/`],
      [/must not contain any of/, 'C:/team/a file:///team/a team\\a \\\\host\\team\\a \\\\?\\C:\\a team:a/b'],
    ];
    for (const [fault, texts] of faults)
      for (const text of texts.split(' ')) assert.match(faultOf(text), fault, text);
  });

  test('a path has at most 1,024 bytes in any script', () => {
    for (const letter of ['a', 'é', '語', '😀']) {
      const bytes = Buffer.byteLength(letter);
      const folders = Array.from({ length: 5 }, () => letter.repeat(Math.floor(200 / bytes))).join('/');
      const begun = `team/${folders}/`;
      const atBound = begun + 'a'.repeat(MAX_PATH_BYTES - Buffer.byteLength(begun));
      assert.equal(Buffer.byteLength(atBound), MAX_PATH_BYTES);
      assertTaken(atBound);
      assert.match(faultOf(`${atBound}a`), /must be at most 1024 bytes/);
    }
    assert.match(faultOf(`team/${'a/'.repeat(2_000_000)}a`), /must be at most 1024 bytes/);
    assert.equal(MAX_SEGMENT_BYTES, 255);
  });

  test('a path has the id of its client in lower case and the rest unchanged', () => {
    const read = parseWorkspacePath(`clients/${CLIENT.toUpperCase()}/A/b.MD`);
    assert.deepEqual(read, { path: `clients/${CLIENT}/A/b.MD`, clientId: CLIENT, name: 'A/b.MD' });
    const unknown = parseWorkspacePath('clients/Nonsense/A');
    assert.deepEqual(unknown, { path: 'clients/Nonsense/A', clientId: 'Nonsense', name: 'A' });
    assert.deepEqual(parseWorkspacePath('team/A/b'), { path: 'team/A/b', clientId: null, name: 'A/b' });
  });
});

const RUNS = { numRuns: 2_000 };

/** Pieces that bad and good paths are made from. */
const PIECES = [
  ['/', '/', '/', '.', '..', '\\', ':', ' ', 'a', 'b.md', 'C:', 'con', '.git', '~', '%2f', '%5c', '\u0000'],
  ['team', 'team/', 'clients/', CLIENT, `clients/${CLIENT}/`, '語', 'e\u0301', '\u2215', '\uff0f', '\u2024'],
].flat();
const anyPath = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => `team/${pieces.join('')}`),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `team/${text}`),
  fc.string({ unit: 'binary' }),
);

describe('any text that is accepted as a path', () => {
  test('an accepted path reads as itself, and stays in its folder when joined to one, on every system', () => {
    let taken = 0;
    fc.assert(
      fc.property(anyPath, (text) => {
        const read = parseWorkspacePath(text);
        if (typeof read === 'string') return;
        taken += 1;
        assert.deepEqual(parseWorkspacePath(read.path), read);
        assert.equal(read.path, workspacePath(read.clientId, read.name));
        assert.equal(read.path.normalize('NFC'), read.path);
        const prefix = read.clientId === null ? ['team'] : ['clients', read.clientId];
        for (const [system, root] of [
          [path.posix, '/srv/files'],
          [path.win32, 'D:\\files'],
        ] as const) {
          const folder = [root, ...prefix].join(system.sep);
          const resolved = system.resolve(root, read.path);
          assert.ok(resolved.startsWith(folder + system.sep), resolved);
          // No segment is lost, so no two paths are the same file.
          assert.equal(resolved, [root, ...read.path.split('/')].join(system.sep));
        }
      }),
      RUNS,
    );
    assert.ok(taken > 100, String(taken));
  });
});

/** Letters with special case rules: several to one, one to several, by position, and in other scripts. */
const CASED = 'aAiIıİßẞſsSKkσςΣΐΰᾳᾼﬃŉǅǆǄéÉåÅǰµΜμԱաꭰᎠⴀႠ𐐀𐐨ḯẖΊὒ';
const nfc = fc
  .oneof(
    fc.array(fc.constantFrom(...CASED, '/', 'n', '\u0301', '\u0308', '\u0345', '\u0307'), { maxLength: 12 }),
    fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), { maxLength: 8 }),
    fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), { maxLength: 8 }),
  )
  .map((letters) => letters.join('').normalize('NFC'));
const withoutDotless = nfc.map((text) => text.replaceAll('ı', ''));

describe('case folding', () => {
  test('upper and lower case fold to the same text', () => {
    fc.assert(
      fc.property(withoutDotless, (text) => {
        assert.equal(foldCase(text.toLowerCase()), foldCase(text));
        assert.equal(foldCase(text.toUpperCase()), foldCase(text));
        assert.equal(foldCase(foldCase(text)), foldCase(text));
      }),
      RUNS,
    );
  });

  test('names that a file system can treat as equal fold to the same text', () => {
    const equal =
      'README.md=readme.MD Straße=STRASSE straẞe=strasse ΟΔΟΣ=οδος οδοσ=οδος ÅNGSTRÖM=ångström ſtop=STOP ﬃ=FFI';
    for (const pair of `${equal} ΜΙΚΡΟ=μικρο ФАЙЛ=файл Ǆ=ǅ 𐐀=𐐨`.split(' ')) {
      const [one = '', other = ''] = pair.split('=');
      assert.equal(foldCase(one), foldCase(other), pair);
    }
  });

  test('names that only look alike fold differently, such as the Turkish dotless and dotted i', () => {
    for (const alike of ['aаαａ', 'oοо', 'pр', 'ıiİ', 'ée', 'l1']) {
      assert.equal(new Set(Array.from(alike, foldCase)).size, [...alike].length, alike);
    }
    assert.equal(new Set(['a\u200bb', 'ab', 'a\u00a0b', 'a b'].map(foldCase)).size, 4);
    assert.equal(foldCase('ı'), 'ı');
  });

  test('a folded path sorts a folder directly before its content', () => {
    assert.equal(foldPath('A/b/Ç'), 'A\u0001B\u0001Ç');
    const sorted = ['a', 'a/b', 'a/z/z', 'a b', 'a-', 'a.md', 'a0', 'aa'].map(foldPath);
    assert.deepEqual(sorted.toSorted(), sorted);
  });
});
