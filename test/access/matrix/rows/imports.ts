import type { Cell, Row } from '../row.ts';
import { ALL_LAYERS, kindIn, LAYERS, type LayerName } from './layers.ts';

/** An import that a request is about, in a layer: the Owner's, or the caller's own. */
const importOf =
  (name: LayerName, author: 'Owner' | 'caller', state: 'queued' | 'failed') =>
  async ({ targets, at, caller, foreign }: Cell) => {
    const own = author === 'caller' && !foreign;
    const userId = own ? caller.userId : at.ownerId;
    return { id: await targets.import(at, LAYERS[name](at), { userId, state }) };
  };

/** The rows of decisions on single imports, for one layer: who may archive a source there may decide on an import. */
function decisionRows(name: LayerName): Row[] {
  // No one but those with Full access could have made one in client B.
  const authors = name === 'client B' ? (['Owner'] as const) : (['Owner', 'caller'] as const);
  return authors.flatMap((author): Row[] => {
    const [whose, source] =
      author === 'Owner' ? ["someone else's", "someone else's record"] : ["the caller's own", 'own record'];
    const kind = kindIn(name, source);
    const about = (text: string) => `${text}${whose} in ${name}`;
    return [
      {
        route: 'POST /v1/memory/imports/:id/retry',
        about: about(''),
        kind,
        ok: 202,
        late: { 'the import was deleted': '404 not_found' },
        values: importOf(name, author, 'failed'),
      },
      {
        route: 'POST /v1/memory/imports/retry',
        about: about('several, '),
        kind,
        ok: 202,
        ids: ['id'],
        late: { 'the import was deleted': '404 not_found' },
        values: importOf(name, author, 'failed'),
        body: ({ id }) => ({ ids: [id] }),
      },
      {
        route: 'DELETE /v1/memory/imports/:id',
        about: about('queued, '),
        kind,
        ok: 204,
        late: { 'the import was cancelled and deleted': '404 not_found' },
        values: importOf(name, author, 'queued'),
      },
      {
        route: 'DELETE /v1/memory/imports/:id',
        about: about('failed, '),
        kind,
        ok: 204,
        late: { 'the import was deleted': '404 not_found' },
        values: importOf(name, author, 'failed'),
      },
    ];
  });
}

/** Routes that retry, cancel and forget imports. */
export const IMPORT_ROWS: readonly Row[] = [
  ...ALL_LAYERS.flatMap(decisionRows),
  {
    route: 'POST /v1/memory/imports/retry',
    about: 'all that the caller may',
    kind: 'Team, own work',
    ok: 202,
    values: async (cell) => {
      for (const name of ALL_LAYERS) {
        await importOf(name, 'Owner', 'failed')(cell);
      }
      return importOf('Team layer', 'caller', 'failed')(cell);
    },
    body: () => ({ all: true }),
  },
];
