import { COLD_CHAIN } from './cold-chain.ts';

/* What a Team of an invented freight forwarder, Kestrel Freight, would have stored. Nobody in it exists. */

export const COMPANY = 'Kestrel Freight';
export const TEAM = 'Customer operations';
export const OWNER = 'Maria Lang';
export const CLIENTS = ['Aldermoor Foods', 'Brightwater Pharma', 'Castellan Retail'] as const;

/** People: their role in the Team, and their access to the clients, in the order of these. */
export const PEOPLE: readonly (readonly [
  name: string,
  role: 'admin' | 'member',
  access: readonly ('read' | 'write' | null)[],
])[] = [
  ['Noor Haddad', 'admin', []],
  ['Ann Baker', 'member', ['write', 'read']],
  ['Ben Cole', 'member', ['read']],
  ['Dana Novak', 'member', [null, 'write', 'read']],
  ['Yusuf Demir', 'member', ['write', 'write', 'read']],
];

/** A source: its title, tags, client (by index) and text in Markdown. */
export interface Text {
  title: string;
  tags: readonly string[];
  client?: number;
  uri?: string;
  text: string;
}

export const TEXTS: readonly Text[] = [
  {
    title: 'Cold chain handbook',
    tags: ['cold chain', 'handbook'],
    uri: 'https://wiki.kestrel.example/cold-chain',
    text: COLD_CHAIN,
  },
  {
    title: 'Brightwater Pharma: agreed service levels',
    tags: ['contract', 'cold chain'],
    client: 1,
    text: `# Agreed service levels\n\nBrightwater Pharma ships vaccines and insulin from Basel to 14 countries.\n\n- A **temperature excursion** is reported to its quality desk within 15 minutes, by phone and then in writing.\n- Loggers are read at each handover. The readings go to quality@brightwater.example on the same day.\n- Two missed reports in a quarter cost 4 % of the invoice.\n`,
  },
  {
    title: 'Aldermoor Foods: delivery windows',
    tags: ['contract', 'delivery'],
    client: 0,
    text: `# Delivery windows\n\nThe cold store in Leeds takes chilled food between 4 and 7 in the morning. A late truck waits until noon.\n\nA temperature excursion of chilled food is decided by the shift lead, with a photo of the logger.\n`,
  },
  {
    title: 'Castellan Retail: returns of pallets',
    tags: ['contract', 'returns'],
    client: 2,
    text: `# Returns\n\nEuro pallets are exchanged one for one at the door. Missing ones are booked as \`PAL-SHORT\` and settled at the end of the month.\n`,
  },
  {
    title: 'What to do about customs holds',
    tags: ['customs', 'handbook'],
    text: `# Customs holds\n\nMost holds are a missing commodity code or an invoice in the wrong currency.\n\n1. Look up the hold code in the portal of the broker.\n2. \`H12\` is a missing EORI number: the client has it.\n3. \`H31\` is a physical check: plan for two days, and tell the receiver today.\n`,
  },
  {
    title: 'Onboarding of a new dispatcher',
    tags: ['people', 'handbook'],
    text: `# First week\n\nDay 1: accounts, the yard, the phone list. Day 2: a ride along to Basel. Day 3: book three shipments with a colleague. On day 5, you hold the desk for an hour while someone sits beside you.\n`,
  },
  {
    title: 'Carrier scorecard, third quarter',
    tags: ['carriers'],
    text: `# Scorecard\n\n| Carrier | On time | Damages | Excursions |\n|---|---|---|---|\n| Norrland Spedition | 97 % | 0 | 1 |\n| Vallmoor Trans | 91 % | 3 | 4 |\n| Iberia Frío | 94 % | 1 | 0 |\n\nVallmoor gets no pharma loads until its reefers are serviced.\n`,
  },
  {
    title: 'Phone list of quality desks',
    tags: ['cold chain', 'on call'],
    text: `Brightwater Pharma: +41 61 555 01 17, day and night. Aldermoor Foods: +44 113 555 0142, from 6 to 22. Castellan Retail has none: the shift lead decides.\n`,
  },
  {
    title: 'Ferry strike in Calais: what we told clients',
    tags: ['incident'],
    text: `# What we told clients\n\nFrom 3 to 6 October, trucks went by Zeebrugge. Each took nine hours longer. Chilled food with less than two days left was sold in France, with the agreement of Aldermoor.\n`,
  },
  {
    title: 'Dangerous goods: who can sign',
    tags: ['handbook', 'safety'],
    text: `Only people with a valid ADR certificate sign. Yusuf and Dana have one until 2028; the list is in the safe of the yard office.\n`,
  },
  {
    title: 'How invoices are split between clients',
    tags: ['finance'],
    text: `A shared truck is split by pallet places, not by weight. Waiting time belongs to the client whose dock was late.\n`,
  },
  {
    title: 'Reefer KF-218: service history',
    tags: ['carriers', 'cold chain'],
    text: `Compressor replaced in March. The door seal was found torn on 13 November after an excursion; replaced on the same day. Next service in January.\n`,
  },
  {
    title: 'Retrospective: the lost pallets of June',
    tags: ['incident', 'returns'],
    client: 2,
    text: `# What happened\n\nEleven pallets were booked in Lyon and stood in Lille. Both docks use the number 7. Since then, labels name the city.\n`,
  },
  {
    title: 'Handover of the night shift, 12 November',
    tags: ['handover'],
    text: `Reefer KF-218 alarmed at 02:40 on the A5 near Freiburg. The excursion lasted six minutes and reached 8.9 °C. Brightwater's quality desk released the load at 03:05.\n\nTwo trucks for Leeds left late because of fog.\n`,
  },
  {
    title: 'Handover of the night shift, 19 November',
    tags: ['handover'],
    text: `Quiet. The logger of KF-221 sends no readings since midnight; a new one waits in Basel. Customs hold H31 on KF-9087, the receiver knows.\n`,
  },
];

/** Memories in review; the last three say nearly the same, and are listed first. */
export const REVIEW = (
  [
    [
      'The gate in Leeds has a new code',
      'The gate of the cold store in Leeds opens with the code of the booking since 1 November.',
      ['delivery'],
    ],
    [
      'H31 means two days',
      'A customs hold `H31` is a physical check. Plan for two days, and tell the receiver on the same day.',
      ['customs'],
    ],
    [
      'Vallmoor takes pharma loads again',
      'Vallmoor Trans has serviced its reefers and takes pharma loads again from December.',
      ['carriers'],
    ],
    [
      'Loggers of 2021 lose their clock',
      'Loggers of 2021 lose their clock when the battery is changed. Set it before the load, or the readings are worthless in a claim.',
      ['cold chain'],
    ],
    [
      'Brightwater wants a call within 15 minutes',
      'If a temperature excursion is reported, call the quality desk of Brightwater Pharma within 15 minutes, then write to quality@brightwater.example.',
      ['cold chain'],
    ],
    [
      'Call Brightwater about excursions at once',
      'If a temperature excursion is reported, call the quality desk of Brightwater Pharma within 15 minutes, and write to quality@brightwater.example on the same day.',
      ['cold chain'],
    ],
    [
      'Excursions: 15 minutes for Brightwater',
      'If a temperature excursion is reported, call the quality desk of Brightwater Pharma within 15 minutes, then write to quality@brightwater.example. At night, too.',
      ['cold chain', 'on call'],
    ],
  ] as const
).map(([title, content, tags]) => ({ title, content, tags: [...tags] }));

export const PUBLISHED = [
  [
    'Vallmoor takes no pharma loads',
    'Vallmoor Trans takes no pharma loads until its reefers are serviced.',
    'carriers',
  ],
  [
    'Leeds: come before seven',
    'The cold store in Leeds takes trucks from 4 to 7. Who comes later waits until noon.',
    'delivery',
  ],
  [
    'Two loggers in every load',
    'Each load has two loggers, one at the door and one in the middle. A claim without both readings is lost.',
    'cold chain',
  ],
  ['Labels name the city', 'Lyon and Lille both have a dock 7. Labels name the city since June.', 'returns'],
  [
    'Zeebrugge instead of Calais',
    'During a strike in Calais, trucks go by Zeebrugge and take nine hours longer.',
    'incident',
  ],
  ['Who can sign dangerous goods', 'Yusuf and Dana have an ADR certificate until 2028.', 'safety'],
  [
    'Split shared trucks by pallet places',
    'A shared truck is split by pallet places, not by weight.',
    'finance',
  ],
  [
    'Fog at the Pennines',
    'Between November and February, trucks to Leeds leave an hour earlier because of fog.',
    'delivery',
  ],
].map(([title, content, tag]) => ({ title: title!, content: content!, tags: [tag!] }));

/** What memories were made of: the session, and what was done in it. */
export const CONSOLIDATED = [
  [
    'Ticket 4790: excursion on the A5',
    'KF-218 alarmed near Freiburg at 02:40 and reached 8.9 °C. Called the quality desk of Brightwater at 02:52. They asked for a mail to quality@brightwater.example on the same day.',
  ],
  [
    'Ticket 4790: excursion on the A5',
    'Brightwater reminded us that its contract says 15 minutes, at night too.',
  ],
] as const;

/** Notes of sessions that wait: the session, and what was done in it. */
export const CAPTURES = [
  [
    'Ticket 4812: logger without readings',
    'Replaced the logger of KF-221 in Basel. The old one had an empty battery; its clock was two days late.',
  ],
  [
    'Ticket 4812: logger without readings',
    'The broker asks for the readings of 18 November. Exported them from the new portal, under Reports, Raw data.',
  ],
  [
    'Ticket 4830: hold H31 on KF-9087',
    'Customs released KF-9087 after 31 hours. The receiver in Vienna had no forklift before noon.',
  ],
  [
    'Weekly call with Brightwater',
    'Brightwater moves its insulin from Basel to Visp in February. Loading takes place from 5 in the morning.',
  ],
  ['Weekly call with Brightwater', 'They want the readings as CSV, not as PDF, from January.'],
] as const;

/** The files of the workspace, with what is in them. */
export const FILES: Readonly<Record<string, string>> = {
  'team/runbooks/temperature-excursion.md':
    '# Temperature excursion\n\n1. Open a ticket of the kind `TEMP`.\n2. Call the quality desk of the client.\n3. Keep the goods in a cooled bay until it has decided.\n',
  'team/runbooks/customs-hold.md': '# Customs hold\n\nLook up the code in the portal of the broker.\n',
  'team/runbooks/night-shift.md': '# Night shift\n\nHandover at 05:45 in the yard office.\n',
  'team/prompts/draft-a-claim.md':
    'Write a claim to the carrier. Name the shipment, both loggers and the highest temperature.\n',
  'team/prompts/summarise-handover.md': 'Summarise the handover in five lines, the most urgent first.\n',
  'team/glossary.md':
    '# Glossary\n\n- **Excursion**: a reading outside of the agreed range.\n- **Lane**: a route that we sell.\n',
  'team/lanes/basel-vienna.md': '# Basel to Vienna\n\n11 hours. Customs in St. Margrethen.\n',
  'team/lanes/basel-leeds.md': '# Basel to Leeds\n\n22 hours by Calais.\n',
  'team/lanes/rotterdam-lyon.md': '# Rotterdam to Lyon\n\n10 hours.\n',
};

/** Files whose import failed: name, reason and how many hours ago. */
export const FAILED = [
  [
    'Bill of lading KF-9087 (scan).pdf',
    'no_text',
    'The pages hold pictures but no text: run text recognition (OCR) over them and import the result.',
    3,
  ],
  ['Carrier contracts 2019.docx', 'locked', 'The file is protected by a password: save it without one.', 26],
  [
    'Export of all bookings.csv',
    'too_slow',
    'Reading the file took longer than 120 seconds: divide it, or save it in a simpler form.',
    50,
  ],
] as const;

/** Files that were imported, with their texts. */
export const IMPORTED: Readonly<Record<string, string>> = {
  'Minutes of the yard meeting.md':
    '# Yard meeting\n\nThe cooled bay at dock 4 gets a second door in January.\n',
  'Driver handbook.html':
    '<h1>Driver handbook</h1><p>Read the loggers at each handover. Call the shift lead at the first alarm.</p>',
  'Carriers 2026.csv':
    'carrier,lane,price\nNorrland Spedition,Basel-Vienna,1890\nIberia Frío,Rotterdam-Lyon,1420\n',
  'Notes on the new portal.txt': 'Readings are under Reports, Raw data. An export takes about a minute.\n',
};

/** The pages of a PDF. */
export const PLAN = [
  [
    'Winter plan 2026/27',
    'This plan is about lanes that lead over the Alps and the Pennines.',
    'It holds from 15 November until 15 March.',
    'Trucks carry chains and a second battery for the loggers.',
  ],
  [
    'Alps',
    'If the Gotthard is closed, trucks go by the San Bernardino.',
    'A reefer needs fuel for 36 hours, because queues are long.',
    'The temperature is read every hour by the driver.',
  ],
  [
    'Pennines',
    'Trucks to Leeds leave one hour earlier.',
    'If the M62 is closed, they wait in Manchester.',
    'The cold store is told before 3 in the morning.',
  ],
] as const;
