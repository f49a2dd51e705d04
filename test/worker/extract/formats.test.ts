import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ImportMediaType } from '../../../shared/formats/media-types.ts';
import { EXTRACTORS } from '../../../worker/extract/registry.ts';
import { endProcesses, startMain } from '../../support/needs/process.ts';
import { cidFont, writePdf } from '../../support/pdf-writer.ts';
import { writeZip, type ZipMember } from '../../support/zip-writer.ts';
import {
  assertDamagedMembersAreTold,
  assertDamageIsTold,
  extracted,
  extractedInProcess,
  type File,
  faultOf,
  fixture,
} from './extraction.ts';
import { writeMessage } from './mail/outlook-writer.ts';
import { frame, openDocumentMembers, textCell, textRow, workbookMembers } from './office/sheet-writer.ts';
import { presentationMembers, shape } from './office/slide-writer.ts';
import { bookMembers, wordMembers, wordParagraph } from './office-writer.ts';

after(endProcesses);

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';
const OFFICE = 'application/vnd.openxmlformats-officedocument';

const MAIL =
  'From: a@x.example\r\nSubject: =?utf-8?B?5rC05rO1?=\r\nContent-Type: multipart/mixed; boundary=b\r\n';
const MAIL_PARTS = [
  'Content-Transfer-Encoding: quoted-printable\r\n\r\n=E6=B0=B4=\r\n=00',
  'Content-Type: text/html; charset=gb2312\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>=CB=AE <b>x</b></p>',
  'Content-Type: message/rfc822\r\n\r\nSubject: =?utf-8?B?5rC05rO1?=\r\n\r\nx',
];
const HTML =
  '<meta charset=utf-8><title>T</title><h1>A<p>b <ruby>漢<rt>x</ruby><table><tr><td>1<td>2</table><pre>c</pre>' +
  '<ul><li><input type=checkbox>d<dl><dt>e</dl><select><option>f</select><svg><p>g</svg><math><mi>x</math>';
const message = (text: string) =>
  `From a@x.example Wed Jan 31 10:20:00 2024\nFrom: a@x.example\n\n${text}\n\n`;

/** A file of each format, with what can be damaged in it. */
const FILES: Readonly<Record<ImportMediaType, readonly File[]>> = {
  'text/plain': ['水泵\n\nمضخة'],
  'text/markdown': [
    '# 水泵\n\n- a\n\n```\n# b',
    '---\ntitle: "水泵"\ntags: [a, &b c]\ndate: 2024-05-03\nd: *b\n---\n[[a#b|c]] `d` %%e%% <!--f--> ^g-h\n> [!note] i\n![j](data:k)',
  ],
  'text/x-rst': ['水泵\n====\n\n:Date: 2024-05-03\n\nA :ref:`b <c>`\n\n---\nC\n---\n'],
  'text/asciidoc': ['= 水泵\nAnn\n2024-05-03\n:a: b\n\n== C\n----\n= d\n----\n////\ne\n////\nTitle\n~~~~~\n'],
  'text/org': [
    '#+TITLE: 水泵\n#+DATE: <2024-05-03>\n* A :b:\n:PROPERTIES:\n:END:\n#+BEGIN_SRC c\n* d\n#+END_SRC\n[[e][f]]\n',
  ],
  'application/x-tex': ['\\title{水{泵}}\n\\date{2024-05-03}\n\\section[a]{b}\\label{c} 50\\% % d\n'],
  'text/html': [HTML],
  'text/csv': ['Name,"Note"\nAnna,"one, ""two"""\n水泵,"x\ny"\n'],
  'text/tab-separated-values': ['Name\tNote\n水泵\t"x"\n'],
  'application/json': [
    '[{"name":"水泵","n":[1,2.50,{"x":null}]},{"name":"a\\u00e9\\n","ok":true}]',
    '[{"title":"Pumps","current_node":"a","mapping":{"a":{"parent":null,"message":{"author":{"role":"user"},"create_time":1,"content":{"content_type":"text","parts":["x"]}}}}}]',
    '[{"name":"x","chat_messages":[{"sender":"human","text":"a","content":[{"type":"text","text":"a"}]}]}]',
    '[{"type":"message","user":"U1","text":"a <@U1> &amp; <https://x.example|x>","ts":"1706696400.1","files":[{"name":"n"}]}]',
  ],
  'application/x-ndjson': ['{"name":"水泵","n":[1,2.50]}\n{"name":"a\\u00e9"}\n'],
  'application/x-ipynb+json': [
    '{"cells":[{"cell_type":"markdown","source":["# 水泵\\n","b"]},{"cell_type":"code","source":"c","outputs":[{"text":"d"},{"data":{"text/html":"<b>e</b>"}}]}]}',
  ],
  'application/yaml': ['# 水泵\na:\n  - b: "c"\n    d: |\n      e\n'],
  'application/toml': ['a = "水泵"\n[b]\nc = 1\n'],
  'application/xml': ['<?xml version="1.0"?>\n<a>\n  <!-- 水泵 -->\n  <b c="d">\n    e\n  </b>\n</a>\n'],
  'text/x-source-code': ['// 水泵\nclass A {\n  b() {\n    return `c`;\n  }\n}\n'],
  'text/vtt': ['WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v 水泵>a &amp; b\n'],
  'text/calendar': [
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:水泵\nDTSTART;TZID="a;b":20240503T0900\nATTENDEE;CN=c:d\nEND:VEVENT\n',
  ],
  'text/vcard': ['BEGIN:VCARD\nFN:水泵\nN;ENCODING=QUOTED-PRINTABLE:=C3=A9;b=\nc\nEND:VCARD\n'],
  'application/pdf': [
    writePdf({
      pages: [[{ y: 700, font: 'C', bytes: Buffer.from('c4e3bac3', 'hex') }]],
      fonts: { C: cidFont('GBK-EUC-H', 'GB1') },
    }),
  ],
  'application/epub+zip': [],
  [`${OFFICE}.wordprocessingml.document`]: [],
  [`${OFFICE}.spreadsheetml.sheet`]: [fixture('libreoffice.xlsx')],
  [`${OFFICE}.presentationml.presentation`]: [fixture('pandoc.pptx')],
  [`${OPEN_DOCUMENT}.text`]: [fixture('odfpy.odt')],
  [`${OPEN_DOCUMENT}.spreadsheet`]: [fixture('libreoffice.ods')],
  [`${OPEN_DOCUMENT}.presentation`]: [fixture('odfpy.odp')],
  'application/rtf': [fixture('pandoc.rtf')],
  'message/rfc822': [`${MAIL}\r\n${MAIL_PARTS.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`],
  'application/vnd.ms-outlook': [
    writeMessage({
      subject: '水泵',
      plain: 'x',
      recipients: [{ name: 'Bob', address: 'b@x.example', type: 1 }],
      attachments: [{ name: 'a.txt', content: 'y' }, { message: { subject: 'In it', html: '<p>z' } }],
    }),
  ],
  'multipart/related': [
    'From: <Saved by Blink>\r\nContent-Type: multipart/related; boundary=b\r\n\r\n' +
      '--b\r\nContent-Type: text/html\r\n\r\n<title>T</title><p>水泵\r\n--b--\r\n',
  ],
  'application/mbox': [message('>From x') + message('水泵')],
};

/** The files in an archive of each format. */
const MEMBERS: Readonly<Partial<Record<ImportMediaType, readonly ZipMember[]>>> = {
  'application/epub+zip': bookMembers({
    title: 'T',
    chapters: [{ href: 'a.xhtml', content: '<html><body><h1>水泵</h1><p>b</p></body></html>' }],
  }),
  [`${OFFICE}.wordprocessingml.document`]: wordMembers(wordParagraph('T', 'Titel') + wordParagraph('水泵')),
  [`${OFFICE}.spreadsheetml.sheet`]: workbookMembers({
    sheets: {
      One: textRow(1, 'Name', 'Text') + textRow(2, 'a', '水泵'),
      Two: '<row><c t="s"><v>0</v></c></row>',
    },
    shared: '<si><t>shared</t></si>',
  }),
  [`${OFFICE}.presentationml.presentation`]: presentationMembers([{ tree: shape(['a', '水泵'], 'title') }]),
  [`${OPEN_DOCUMENT}.text`]: openDocumentMembers(
    'text',
    '<text:h text:outline-level="1">a</text:h><text:list><text:list-item><text:p>水泵</text:p></text:list-item></text:list>',
  ),
  [`${OPEN_DOCUMENT}.spreadsheet`]: openDocumentMembers(
    'spreadsheet',
    `<table:table table:name="S"><table:table-row>${textCell('a')}</table:table-row><table:table-row table:number-rows-repeated="3">${textCell('水泵')}</table:table-row></table:table>`,
  ),
  [`${OPEN_DOCUMENT}.presentation`]: openDocumentMembers(
    'presentation',
    `<draw:page>${frame('title', 'a')}<presentation:notes>${frame('notes', '水泵')}</presentation:notes></draw:page>`,
  ),
};

for (const [type, files] of Object.entries(FILES) as [ImportMediaType, readonly File[]][]) {
  const members = MEMBERS[type];
  const all = [...(members === undefined ? [] : [writeZip(members)]), ...files];
  describe(`a file of the type ${type}`, () => {
    test('is read in a process without permissions as in this one', async (t) => {
      const extract = await EXTRACTORS[type]();
      for (const file of all) {
        const { title, parts } = await extracted(extract, file);
        const read = await extractedInProcess(t, type, file);
        const textsOf = (given: typeof parts) => given.map(({ text }) => text).join('\n\n');
        assert.deepEqual([read.title, textsOf(read.parts)], [title, textsOf(parts)]);
        assert.ok(read.parts.length > 0);
      }
    });

    test('is read, or refused with a reported fault, whatever the damage', async () => {
      if (type === 'application/pdf') {
        // A promise of the library that nobody hears would end this process.
        const reading = startMain('test/worker/extract/damaged-pdfs.ts');
        assert.equal(await reading.exited, 0, reading.stderr.join('\n'));
        return;
      }
      const extract = await EXTRACTORS[type]();
      for (const file of all) await assertDamageIsTold(extract, file);
      if (members !== undefined) await assertDamagedMembersAreTold(extract, members);
    });

    if (members === undefined) return;
    test('is refused if it is no such archive, a zip bomb, or partly encrypted', async () => {
      const extract = await EXTRACTORS[type]();
      const codeOf = async (file: File) => (await faultOf(extract, file)).code;
      for (const other of ['', 'no archive', '%PDF-1.4', writeZip([{ name: 'a.txt', content: 'x' }])]) {
        assert.equal(await codeOf(other), 'corrupt');
      }
      const largest = members.toSorted((a, b) => b.content.length - a.content.length)[0];
      const changed = (change: Partial<ZipMember>) =>
        writeZip(members.map((each) => (each === largest ? { ...each, ...change } : each)));
      assert.equal(await codeOf(changed({ content: Buffer.alloc(40 * 1024 * 1024, ' ') })), 'zip_bomb');
      assert.equal(await codeOf(changed({ encrypted: true })), 'locked');
    });
  });
}
