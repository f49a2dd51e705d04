import { join } from 'node:path';
import { Draw } from '../../documents/draw.ts';
import { write } from '../../support/programs.ts';
import type { Expected } from '../judge.ts';
import type { Made, Maker } from '../samples.ts';
import { CALENDAR_WORDS, calendar } from './mail-cases.ts';

type Written = readonly [file: string, content: string, expected: Expected];

const time = (second: number, comma: string) => `00:00:${second}${comma}000`;

function subtitles(): Written[] {
  const d = new Draw('subtitles');
  const lines = d.many(8, 12, () => d.sentence());
  const times = lines.flatMap((_, at) =>
    ['.', ','].flatMap((sign) => [time(10 + at, sign), `00:00:${10 + at}`, `0:${10 + at}`, `00:${10 + at}`]),
  );
  const expected: Expected = { texts: lines, optional: [...times, 'WEBVTT Ann Bob'] };
  const cues = (sign: string, write: (line: string, at: number) => string) =>
    lines.map(
      (line, at) =>
        `${time(10 + at, sign)} --> ${time(11 + at, sign)}${sign === '.' && at === 0 ? ' align:start position:0%' : ''}\n${write(line, at)}`,
    );
  return [
    [
      'meeting.vtt',
      `WEBVTT\n\nNOTE made by a recorder\n\n${cues('.', (line, at) => `<v ${at % 2 === 0 ? 'Ann' : 'Bob'}>${line}</v>`).join('\n\n')}\n`,
      { ...expected, optional: [...(expected.optional ?? []), 'NOTE made by a recorder'] },
    ],
    [
      'numbered.vtt',
      `WEBVTT - Title\nKind: captions\n\n${cues('.', (line) => line)
        .map((cue, at) => `${at + 1}\n${cue}`)
        .join('\n\n')}\n`,
      { ...expected, optional: [...(expected.optional ?? []), 'Title Kind captions'] },
    ],
    [
      'film.srt',
      `${cues(',', (line) => `<i>${line}</i>`)
        .map((cue, at) => `${at + 1}\r\n${cue.replaceAll('\n', '\r\n')}`)
        .join('\r\n\r\n')}\r\n`,
      expected,
    ],
  ];
}

const RST = `Pump manual of Kiel
===================

:Author: Ann Miller

.. note:: Wear gloves at the pump.

Repair
------

Call the *workshop* first. See :ref:\`valves\` and \`the list <https://example.org>\`_.

.. code-block:: python

   torque = valve + 60

=====  =====
Part   City
=====  =====
Valve  Kiel
=====  =====
`;
const ADOC = `= Pump manual of Kiel
Ann Miller
:toc:

== Repair

Call the *workshop* first.

NOTE: Wear gloves at the pump.

|===
|Part |City

|Valve |Kiel
|===
`;
const ORG = `#+TITLE: Pump manual of Kiel
#+AUTHOR: Ann Miller

* Repair
  Call the /workshop/ first.
** TODO Order gloves :shop:
| Part  | City |
|-------+------|
| Valve | Kiel |
`;
const MARKUP_WORDS =
  'Author note NOTE code-block python torque valve 60 TITLE AUTHOR TODO shop ref toc the list https://example.org See valves list <https://example.org>`_ gloves Order Wear gloves at the pump and title author';
const manual = (texts: readonly string[], title?: string): Expected => ({
  texts: [
    'Pump manual of Kiel',
    'Ann Miller',
    'Repair',
    'Call the workshop first.',
    'Part City Valve Kiel',
    ...texts,
  ],
  optional: [MARKUP_WORDS, '-------+------ ref:`valves'],
  ...(title === undefined ? {} : { title }),
});

/** Text formats, as people and programs write them. */
function* cases(): Generator<Written> {
  yield* subtitles();
  yield ['manual.rst', RST, manual([])];
  yield ['manual.adoc', ADOC, manual([])];
  yield ['manual.org', ORG, manual([])];
  yield [
    'invite.ics',
    calendar('Budget meeting', 'Room Blue'),
    { texts: ['Budget meeting', 'Room Blue', 'Bring the torque list, please.'], optional: [CALENDAR_WORDS] },
  ];
  yield [
    'folded.ics',
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:20240510T100000\r\nSUMMARY:Inspection of the nor\r\n thern workshop\r\nATTENDEE;CN="Bob Bauer":mailto:bob@example.org\r\nBEGIN:VALARM\r\nTRIGGER:-PT15M\r\nACTION:DISPLAY\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nSUMMARY:Order gloves\\; size nine\r\nDUE;VALUE=DATE:20240512\r\nEND:VTODO\r\nEND:VCALENDAR\r\n',
    {
      texts: ['Inspection of the northern workshop', 'Bob Bauer', 'Order gloves; size nine'],
      optional: [CALENDAR_WORDS, 'Europe/Berlin 10:00 2024-05-12 Due Todo Task bob@example.org'],
    },
  ];
  yield [
    'settings.yaml',
    '# Settings of the pump\npump:\n  city: Kiel\n  torque: 60\nnotes: |\n  # not a comment\n  Wear gloves.\n',
    { texts: ['Settings of the pump', 'pump city Kiel torque 60', 'notes', 'not a comment', 'Wear gloves.'] },
  ];
  yield [
    'settings.toml',
    '# Settings of the pump\n[pump]\ncity = "Kiel"\ntorque = 60\n',
    { texts: ['Settings of the pump', 'pump', 'city Kiel', 'torque 60'] },
  ];
  yield [
    'settings.ini',
    '; Settings of the pump\n[pump]\ncity=Kiel\ntorque=60\n',
    { texts: ['Settings of the pump', 'pump', 'city Kiel torque 60'] },
  ];
  yield [
    'settings.properties',
    'pump.city=Kiel\npump.note=Wear gloves\n',
    { texts: ['pump.city Kiel', 'pump.note Wear gloves'] },
  ];
  yield [
    'order.xml',
    '<?xml version="1.0"?>\n<order id="4417"><customer>Northwind Pumps</customer><note>Deliver before noon &amp; call.</note></order>\n',
    {
      texts: ['Northwind Pumps', 'Deliver before noon', 'call.'],
      optional: ['order customer note id xml version amp 4417 1.0'],
      isMarkup: true,
    },
  ];
  yield [
    'script.py',
    '#!/usr/bin/env python3\n# Heading of the script\n\n\nclass Pump:\n    """A pump."""\n\n    # Torque in newton metres\n    torque = 60\n',
    {
      texts: [
        'usr/bin/env python3',
        'Heading of the script',
        'class Pump',
        'A pump.',
        'Torque in newton metres',
        'torque = 60',
      ],
    },
  ];
  yield [
    'analysis.ipynb',
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { kernelspec: { name: 'python3' } },
      cells: [
        { cell_type: 'markdown', metadata: {}, source: ['# Torque of valves\n', 'Measured in May.'] },
        {
          cell_type: 'code',
          metadata: {},
          execution_count: 1,
          source: 'print(torque)',
          outputs: [
            { output_type: 'stream', name: 'stdout', text: ['sixty newton metres\n'] },
            {
              output_type: 'display_data',
              metadata: {},
              data: { 'image/png': 'iVBORw0KGgoAAAANSUhEUg', 'text/plain': ['<Figure>'] },
            },
          ],
        },
      ],
    }),
    {
      texts: ['Torque of valves', 'Measured in May.', 'print(torque)', 'sixty newton metres'],
      optional: ['Figure python3 python Output'],
    },
  ];
  yield [
    'teams.json',
    JSON.stringify({
      messages: [
        {
          id: '1',
          createdDateTime: '2024-05-03T07:15:02Z',
          from: { user: { displayName: 'Ann' } },
          body: {
            contentType: 'html',
            content: '<p>The gate code is <b>4417</b>&nbsp;now</p><div>Call <at id="0">Bob</at></div>',
          },
        },
      ],
    }),
    {
      texts: ['The gate code is 4417 now', 'Call Bob'],
      optional: [
        'Ann 2024-05-03 07:15 UTC messages id createdDateTime 2024-05-03T07:15:02Z from user displayName body contentType html content messages.id messages.createdDateTime messages.from.user.displayName messages.body.contentType messages.body.content',
      ],
    },
  ];
  yield [
    'service.log',
    '\u001b[32mINFO\u001b[0m service \u001b[1;34mstarted\u001b[0m\r\n\u001b[31mERROR\u001b[0m PGW-4012 signature rejected\r\n\u001b]8;;https://example.org\u0007see manual\u001b]8;;\u0007\r\n',
    { texts: ['INFO service started', 'ERROR PGW-4012 signature rejected', 'see manual'] },
  ];
  yield [
    'underlined.log',
    'N\bNA\bAM\bME\bE\n_\bp_\bu_\bm_\bp opens the valve\n',
    { texts: ['NAME', 'pump opens the valve'] },
  ];
}

export const textKinds: Maker = {
  commands: [],
  packages: '',
  make: async (work) =>
    Promise.all(
      [...cases()].map(async ([file, content, expected]): Promise<Made> => {
        const path = await write(join(work, file), content);
        return { kind: 'text kinds', name: file.replace('.', '-'), path, expected };
      }),
    ),
};
