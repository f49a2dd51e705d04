/** What the words of RTF mean for the text. */

/** Words that stand for characters. A map, because a file can contain any word: `\constructor`. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bullet: '•',
    emdash: '—',
    emspace: '\u2003',
    endash: '–',
    enspace: '\u2002',
    ldblquote: '“',
    line: '\n',
    lquote: '‘',
    nestcell: ' ',
    nestrow: '\n',
    rdblquote: '”',
    rquote: '’',
    tab: '\t',
    zwj: '\u200d',
    zwnj: '\u200c',
  }),
);

/** Symbols that stand for characters. */
export const SYMBOLS: Readonly<Record<string, string>> = {
  '\\': '\\',
  '{': '{',
  '}': '}',
  '~': '\u00a0',
  _: '\u2011',
};

/** Groups that are left out although an old program would show them: they are not text of the document. */
export const SKIPPED: ReadonlySet<string> = new Set([
  'aftncn',
  'aftnsep',
  'aftnsepc',
  'atnauthor',
  'atnicn',
  'atnid',
  'atnref',
  'atrfend',
  'atrfstart',
  'bkmkend',
  'bkmkstart',
  'colortbl',
  'colorschememapping',
  'comment',
  'datafield',
  'datastore',
  'doccomm',
  'falt',
  'filetbl',
  'fldinst',
  'fontemb',
  'fontfile',
  'footer',
  'footerf',
  'footerl',
  'footerr',
  'ftncn',
  'ftnsep',
  'ftnsepc',
  'generator',
  'header',
  'headerf',
  'headerl',
  'headerr',
  'latentstyles',
  'listoverridetable',
  'listtable',
  'nonesttables',
  'nonshppict',
  'objalias',
  'objclass',
  'objdata',
  'objname',
  'panose',
  'pict',
  'pgdsctbl',
  'private',
  'revtbl',
  'rsidtbl',
  'rxe',
  'sn',
  'stylesheet',
  'sv',
  'tc',
  'tcn',
  'template',
  'themedata',
  'txe',
  'xe',
  'xmlnstbl',
]);

/** Groups that only newer programs know, and that contain text. Other such groups are left out. */
export const NEWER: ReadonlySet<string> = new Set(['annotation', 'endnote', 'footnote', 'shpinst', 'ud']);

/** Words that end a paragraph. */
export const PARAGRAPH_ENDS: ReadonlySet<string> = new Set(['column', 'page', 'par', 'sect']);
