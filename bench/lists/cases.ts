import type { SignedIn } from '../../test/support/app.ts';

export interface Request {
  method?: 'GET' | 'POST' | 'PATCH';
  url: string;
  payload?: object;
}

/** A Team that is measured. */
export interface MeasuredTeam {
  company: SignedIn;
  clients: readonly string[];
  /** Sources that were ingested by requests, with passages. */
  sources: readonly string[];
  /** Sources of one long text, by its characters. */
  texts: ReadonlyMap<number, string>;
  /** Sends a request that is not measured. Returns the body of the answer. */
  send(request: Request): Promise<Record<string, unknown>>;
}

/** A request, or what prepares it without being measured. `turn` differs in each, so that each changes something. */
type Ask = string | ((team: MeasuredTeam, turn: number) => Request | Promise<Request>);

export interface Case {
  name: string;
  ask: Ask;
  /** One request is enough for a round. */
  isHeavy?: boolean;
}

/** Where the middle of a list is looked for: a page after so many pages of 200 records, or the last one. */
const PAGES_BEFORE = 20;

const sources = (query: string) => `/v1/memory/sources?${query}`;
const source = ({ texts }: MeasuredTeam, characters: number) => `/v1/memory/sources/${texts.get(characters)}`;

/** A page deep in a list. Its cursor is found once for each Team. */
function middleOf(url: string): Ask {
  const cursors = new WeakMap<MeasuredTeam, string>();
  return async (team) => {
    for (let page = 0, last = ''; page < PAGES_BEFORE && !(page === 0 && cursors.has(team)); page += 1) {
      const { nextCursor } = await team.send({ url: `${url}&limit=200${last}` });
      if (typeof nextCursor !== 'string') break;
      cursors.set(team, nextCursor);
      last = `&cursor=${nextCursor}`;
    }
    return { url: `${url}&cursor=${cursors.get(team) ?? ''}` };
  };
}

const search = (more: object): Ask => {
  const payload = { query: 'harbour crane', embeddingMode: 'keyword', ...more };
  return () => ({ method: 'POST', url: '/v1/memory/search', payload });
};

/** A batch of so many sources. Each case has sources or a tag of its own, so that no other undoes what it changes. */
const batch = ({ sources: all }: MeasuredTeam, from: number, size: number, change: object): Request => ({
  method: 'POST',
  url: '/v1/memory/sources/batch',
  payload: { ids: all.slice(from, from + size), change },
});

const inBatch = (name: string, from: number, size: number, change: Change): Case => ({
  name: `batch of ${size}, ${name}`,
  ask: (team, turn) => batch(team, from, size, change(team, turn)),
  isHeavy: size > 1,
});
type Change = (team: MeasuredTeam, turn: number) => object;

const tagged = (size: number): Change => {
  return (_, turn) => ({ tags: { [turn % 2 === 0 ? 'add' : 'remove']: [`pier ${size}`] } });
};
const moved: Change = ({ clients }, turn) => ({ clientId: clients[turn % 2 === 0 ? 1 : 0] });
const archivedOrNot: Change = (_, turn) => ({ state: turn % 2 === 0 ? 'archived' : 'active' });

const batches: readonly Case[] = [
  ...[1, 50, 500].map((size) => inBatch('tags', 0, size, tagged(size))),
  inBatch('move', 550, 1, moved),
  inBatch('move', 500, 50, moved),
  inBatch('archive or restore', 610, 1, archivedOrNot),
  inBatch('archive or restore', 560, 50, archivedOrNot),
  {
    name: 'batch of 50, undo',
    ask: async (team, turn) => {
      const { undo } = await team.send(batch(team, 0, 50, { tags: { add: [`quay ${turn}`] } }));
      const [payload] = undo as object[];
      return { ...batch(team, 0, 50, {}), payload: payload! };
    },
    isHeavy: true,
  },
];

/** A text of words, which differs in each turn. */
export const textOf = (characters: number, turn: number): string => {
  const words = 'harbour crane walrus lighthouse tide anchor ferry signal rope keel mast gull'.split(' ');
  let text = `Text ${turn}.`;
  for (let n = 0; text.length < characters; n += 1)
    text += n % 12 === 11 ? '.\n' : ` ${words[(n * n + turn) % words.length]}${n % 97}`;
  return text.slice(0, characters).trim();
};

const withText = (characters: number): Case[] => {
  const isHeavy = characters > 10_000;
  const read = { ask: (team: MeasuredTeam) => ({ url: `${source(team, characters)}?text=true` }), isHeavy };
  const patch: Ask = async (team, turn) => {
    const { updatedAt } = await team.send({ url: source(team, characters) });
    const payload = { text: textOf(characters, turn), baseUpdatedAt: updatedAt };
    return { method: 'PATCH', url: source(team, characters), payload };
  };
  const restore: Ask = async (team) => {
    const { items } = await team.send({ url: `${source(team, characters)}/versions` });
    const [newest] = items as { version: number }[];
    return { method: 'POST', url: `${source(team, characters)}/versions/${newest?.version ?? 0}/restore` };
  };
  return [
    { name: `text of ${characters}`, ...read },
    // The longest text fits a request to ingest, not one that changes a source.
    ...(characters > 1_000_000
      ? []
      : [
          { name: `text of ${characters}, PATCH`, ask: patch, isHeavy },
          {
            name: `text of ${characters}, versions`,
            ask: (team: MeasuredTeam) => ({ url: `${source(team, characters)}/versions` }),
          },
          { name: `text of ${characters}, restore`, ask: restore, isHeavy },
        ]),
  ];
};

const plain: readonly [name: string, ask: Ask][] = [
  ['sources', sources('')],
  ['sources, count', sources('count=true')],
  ['sources, kind', sources('kind=ingest')],
  ['sources, kind and count', sources('kind=ingest&count=true')],
  ['sources, archived', sources('state=archived')],
  ['sources, archived and count', sources('state=archived&count=true')],
  ['sources, tag', sources('tag=tag%207')],
  ['sources, tag and count', sources('tag=tag%207&count=true')],
  ['sources, q', sources('q=harbour')],
  ['sources, q and count', sources('q=harbour&count=true')],
  ['sources, middle', middleOf(sources(''))],
  ...['updatedAt', 'title', 'found'].flatMap((sort): [string, Ask][] => [
    [`sources by ${sort}`, sources(`sort=${sort}`)],
    [`sources by ${sort}, middle`, middleOf(sources(`sort=${sort}`))],
  ]),
  ['memories', '/v1/memory/memories?state=discarded'],
  ['memories, count', '/v1/memory/memories?state=discarded&count=true'],
  ['memories by title', '/v1/memory/memories?state=discarded&sort=title'],
  ['imports', '/v1/memory/imports?'],
  ['imports, count', '/v1/memory/imports?count=true'],
  ['captures', '/v1/memory/captures?'],
  ['captures, count', '/v1/memory/captures?count=true'],
  ['audit', '/v1/memory/audit?'],
  ['audit, count', '/v1/memory/audit?count=true'],
  ['audit of two kinds', '/v1/memory/audit?kinds=memory.ingest,memory.import'],
  ['audit without searches', '/v1/memory/audit?kinds=!memory.search'],
  ['audit of an actor', ({ company }) => ({ url: `/v1/memory/audit?actorId=${company.ownerId}` })],
  ['audit of a day', '/v1/memory/audit?since=2026-01-01&until=2026-01-01'],
  ['tags', '/v1/memory/tags?'],
  ['tags, count', '/v1/memory/tags?count=true'],
  ['clients', '/v1/team/clients?'],
  ['clients, count', '/v1/team/clients?count=true'],
  ['members', '/v1/team/members?'],
  ['members, count', '/v1/team/members?count=true'],
  ['search', search({})],
  ['search, facets', search({ facets: true })],
  ['activity of 366 days', '/v1/team/activity?days=366'],
  [
    'ingest of 8,000',
    ({ clients }, turn) => ({
      method: 'POST',
      url: '/v1/memory/ingest',
      payload: { title: 'A text', text: textOf(8000, turn), scope: { clientId: clients[0] } },
    }),
  ],
];

/** What is measured, with texts of these lengths. */
export const casesOf = (lengths: readonly number[]): Case[] => [
  ...plain.map(([name, ask]) => ({ name, ask })),
  ...batches,
  ...lengths.flatMap(withText),
];
