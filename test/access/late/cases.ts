import type { AccessChange } from '../../support/access-changes.ts';
import type { Row } from '../matrix/row.ts';
import { ALL_ROWS } from '../matrix/rows/all.ts';
import { ofClient } from '../matrix/rows/layers.ts';
import { type CallerName, expectedOf } from '../matrix/table.ts';
import { methodOf, titleOf } from '../matrix/walk.ts';

/*
 * Rows of the access matrix whose caller loses access while the request waits. The caller gets what the matrix says of those
 * without that access, and the request changes nothing.
 */

export interface LateCase {
  row: Row;
  /** Who sends the request. */
  sender: CallerName;
  /** What happens while it waits. */
  change: AccessChange;
  /** Status and code; or only the status, of success or if there can be several codes. */
  expected: string;
}

/** A change that takes access, those who can lose it, the least access first, and what a row answers them then. */
type Loss = readonly [
  change: AccessChange,
  from: readonly CallerName[],
  answer: (row: Row, sender: CallerName) => string,
];

const as = (name: CallerName) => (row: Row) => expectedOf(row)[name];
const asBefore = (row: Row) => String(row.ok);

/** The client that a row is about. */
export const clientOf = (row: Row) => /client [AB]/.exec(`${titleOf(row)}, ${row.kind}`)?.[0];

/**
 * What a row gets if it is about the archived client, which is refused if a request names it in a scope, and does not exist
 * by id. Other kinds let in everyone of the Team, whatever the client.
 */
function asInArchivedClient(row: Row, sender: CallerName): string {
  const { kind, elsewhere } = row;
  const requiresClient = kind.includes('client') || kind.includes('Full access');
  if (clientOf(row) === undefined || !requiresClient) return asBefore(row);
  const isNamed = elsewhere === ofClient.elsewhere || kind.includes(', write');
  return expectedOf({ ...row, kind: isNamed ? 'archived client' : 'archived client, by id' })[sender];
}

const IN_TEAM = ['member', 'granted', 'Team Admin', 'Team Owner'] as const;
const ANYONE = [...IN_TEAM, 'Admin', 'full Admin', 'Owner'] as const;

const LOSSES: readonly Loss[] = [
  ['the grant was deleted', ['granted'], as('member')],
  ['the grant was lowered', ['granted'], as('reading')],
  ['the member was removed from the Team', IN_TEAM, as('neighbour')],
  ['the role was lowered', ['Team Admin', 'Team Owner'], as('member')],
  ['the role was lowered to admin', ['Team Owner'], as('Team Admin')],
  ['the account was closed', ANYONE, as('nobody')],
  ['the Team was archived', ANYONE, as('archived')],
  ['the client was archived', ['granted', 'Team Admin'], asInArchivedClient],
  // The rows about imports say in `late` what they get, and those that a session alone allows.
  ['the session was ended', ANYONE, asBefore],
  ['the import was deleted', ['granted'], asBefore],
  ['the import was cancelled and deleted', ['granted'], asBefore],
];
const COMPANY_LOSSES: readonly Loss[] = [
  ['the Company role was lowered to admin', ['Owner'], as('Admin')],
  ['the Company role was lowered to member', ['Admin', 'full Admin'], as('neighbour')],
  ['the Company grant was deleted', ['full Admin'], as('Admin')],
  ['the Company grant was lowered', ['full Admin'], as('reader')],
];

function casesOf(row: Row, losses: readonly Loss[]): LateCase[] {
  const columns = expectedOf(row);
  return losses.flatMap(([change, from, answer]) => {
    const sender = from.find((name) => columns[name] === String(row.ok));
    const exception = row.late?.[change];
    if (sender === undefined || exception === null) return [];
    const expected = exception ?? answer(row, sender);
    const isTested = exception !== undefined || expected !== String(row.ok);
    return isTested ? [{ row, sender, change, expected }] : [];
  });
}

const CHANGING = ALL_ROWS.filter((row) => !row.reads && !['GET', 'HEAD', 'OPTIONS'].includes(methodOf(row)));

/** Every row that changes something, with every change that takes the access of its caller. */
export function transactionCases(): LateCase[] {
  const kinds = new Set<string>();
  return CHANGING.flatMap((row) => {
    // Every change in a Team rechecks role and grant in the Company by `lockTeamAs`: one row of each kind shows it.
    const isShown = expectedOf(row).neighbour === '403 team_forbidden' && kinds.has(row.kind);
    kinds.add(row.kind);
    return casesOf(row, isShown ? LOSSES : [...LOSSES, ...COMPANY_LOSSES]);
  });
}

/** The first case of each key. */
const firstOfEach = (cases: readonly LateCase[], keyOf: (late: LateCase) => string) => [
  ...new Map(cases.toReversed().map((late) => [keyOf(late), late])).values(),
];

/**
 * Rows with a body, which the guards let in before it arrives. Some are enough, because all routes of a path have the same
 * guards. Nothing else refuses a row whose session has ended, and most rows that only read.
 */
export function bodyCases(): LateCase[] {
  // Some have no guard: a credential counts only if the body says so.
  const isByBody = ({ refusalByBody }: Row) =>
    [refusalByBody?.refusal].flat().includes('401 unauthenticated');
  const rows = ALL_ROWS.filter(
    (row) => row.body !== undefined && expectedOf(row).nobody !== String(row.ok) && !isByBody(row),
  );
  const casesWith = (losses: readonly Loss[]) => rows.flatMap((row) => casesOf(row, losses));
  const ended = casesWith([['the session was ended', ANYONE, as('nobody')]]);
  return [
    // By the start of the path, as /v1/team.
    ...firstOfEach(ended, ({ row }) => row.route.split('/').slice(1, 3).join('/')),
    ...firstOfEach(
      casesWith([...LOSSES, ...COMPANY_LOSSES]),
      ({ row, change, expected }) => `${row.reads ? row.route : 'a change'}: ${change}: ${expected}`,
    ),
  ];
}
