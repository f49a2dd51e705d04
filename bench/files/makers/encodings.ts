import { join } from 'node:path';
import { Draw } from '../../documents/draw.ts';
import type { Language } from '../../documents/languages.ts';
import { execute, write } from '../../support/programs.ts';
import type { Made, Maker } from '../samples.ts';

/** Encodings by language, as iconv names them. `-BOM` adds a byte order mark. */
const ENCODINGS: Readonly<Partial<Record<Language, string>>> = {
  ja: 'CP932 EUC-JP UTF-16LE UTF-16LE-BOM',
  zh: 'GBK GB18030 UTF-16LE UTF-16BE-BOM',
  tw: 'BIG5',
  ko: 'CP949 UTF-16LE',
  ru: 'CP1251 KOI8-R CP866 ISO-8859-5 UTF-16BE',
  pl: 'CP1250 ISO-8859-2 UTF-16LE',
  de: 'CP1252 CP850 MACINTOSH UTF-16LE UTF-32LE-BOM',
  el: 'CP1253 ISO-8859-7',
  tr: 'CP1254',
  he: 'CP1255',
  ar: 'CP1256 UTF-8-BOM',
};

const DELIMITERS: Readonly<Partial<Record<Language, string>>> = {
  de: ';',
  pl: ';',
  ru: ';',
  el: ';',
  tr: ';',
};

interface Text {
  extension: string;
  text: string;
  expected: Made['expected'];
}

function tableIn(d: Draw, language: Language, least: number, most: number): Text {
  const labels = d.many(3, 3, () => d.words(2));
  const rows = d.many(least, most, () => [d.words(2), String(100 + d.below(9000)), d.words(2, 3)]);
  const lines = [labels, ...rows].map((row) => row.join(DELIMITERS[language] ?? ','));
  return {
    extension: 'csv',
    text: `${lines.join('\r\n')}\r\n`,
    expected: { texts: [], tables: [{ labels, rows }] },
  };
}

function proseIn(d: Draw): Text {
  const text = d.many(3, 5, () => d.text(2, 4)).join('\r\n\r\n');
  return { extension: 'txt', text: `${text}\r\n`, expected: { texts: [text] } };
}

function pageIn(d: Draw, encoding: string): Text {
  const texts = d.many(3, 5, () => d.text(2, 4));
  const title = d.words(2);
  const body = texts.map((text) => `<p>${text}</p>`).join('\n');
  const text = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=${encoding}"><title>${title}</title></head><body>\n${body}\n</body></html>`;
  return { extension: 'html', text, expected: { texts, title, optional: [title] } };
}

function subtitlesIn(d: Draw): Text {
  const lines = d.many(6, 9, () => d.sentence());
  const cues = lines.map(
    (line, at) => `${at + 1}\r\n00:00:${10 + at},000 --> 00:00:${11 + at},500\r\n${line}\r\n`,
  );
  return {
    extension: 'srt',
    text: cues.join('\r\n'),
    expected: {
      texts: lines,
      optional: lines.map(
        (_, at) => `00:00:${10 + at},000 00:00:${11 + at},500 00:00:${10 + at} ${11 + at},500`,
      ),
    },
  };
}

/** The kinds of files that are made in an encoding; pages say which one it is. */
function* textsIn(language: Language, encoding: string): Generator<[name: string, text: Text]> {
  const d = (name: string) => new Draw(`iconv-${language}-${encoding}-${name}`, language);
  yield ['table', tableIn(d('table'), language, 8, 14)];
  yield ['prose', proseIn(d('prose'))];
  if (!encoding.startsWith('UTF')) {
    yield ['short', tableIn(d('short'), language, 2, 3)];
    if (!/^(?:CP850|CP949|CP932|CP866|MACINTOSH)$/.test(encoding))
      yield ['page', pageIn(d('page'), encoding.replace('CP', 'windows-'))];
  }
  if (/CP125|CP932|GBK/.test(encoding)) yield ['subtitles', subtitlesIn(d('subtitles'))];
}

const MARKS: Readonly<Record<string, readonly number[]>> = {
  'UTF-8': [0xef, 0xbb, 0xbf],
  'UTF-16LE': [0xff, 0xfe],
  'UTF-16BE': [0xfe, 0xff],
  'UTF-32LE': [0xff, 0xfe, 0, 0],
};

export const iconv: Maker = {
  commands: ['iconv'],
  packages: 'libc-bin',
  make: async (work) => {
    const made: Made[] = [];
    for (const [of, encodings] of Object.entries(ENCODINGS)) {
      const language = of as Language;
      for (const named of encodings.split(' ')) {
        const encoding = named.replace('-BOM', '');
        const mark = named === encoding ? [] : (MARKS[encoding] ?? []);
        for (const [name, { extension, text, expected }] of textsIn(language, named)) {
          const short = `${language}-${named.toLowerCase()}-${name}`;
          const source = await write(join(work, `${short}.utf8`), text);
          const { stdout } = await execute('iconv', ['-f', 'UTF-8', '-t', encoding, source], {
            encoding: 'buffer',
          });
          const path = await write(
            join(work, `${short}.${extension}`),
            Buffer.concat([Buffer.of(...mark), stdout]),
          );
          made.push({ kind: 'encodings', name: short, path, expected });
        }
      }
    }
    return made;
  },
};
