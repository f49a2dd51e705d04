import { readTable } from '../../support/tables.ts';
import { CALLERS, type CallerName } from './table.ts';

/** A caller with the secret of a sign-in, a link or an invite, whatever session is sent along. */
export const HOLDER = 'holder';

/**
 * What answers may tell whom, whatever is asked: things by where they lie (see `canaries.ts`). `yes` is told
 * somewhere in the walk, `may` to a question that no row asks of that Team. The rest is told to no one.
 */
const TOLD = readTable(`
  what                | nobody | stranger | neighbour | member | granted | reading | Team Admin | Team Owner | Admin | reader | full Admin | Owner | archived | agent | layer agent | reading agent | writing agent | late agent | holder
  layer.t             | -      | -        | -         | yes    | yes     | yes     | yes        | yes        | -     | yes    | yes        | yes   | may      | yes   | yes         | yes           | yes           | -          | -
  client-a.t          | -      | -        | -         | -      | yes     | yes     | yes        | yes        | -     | yes    | yes        | yes   | yes      | yes   | -           | yes           | yes           | -          | -
  client-b.t          | -      | -        | -         | -      | -       | -       | yes        | yes        | -     | yes    | yes        | yes   | yes      | yes   | -           | yes           | yes           | -          | -
  backstage.t         | -      | -        | -         | -      | -       | -       | yes        | yes        | -     | -      | yes        | yes   | yes      | yes   | -           | -             | yes           | -          | -
  capture-member.t    | -      | -        | -         | yes    | -       | -       | yes        | yes        | -     | -      | yes        | yes   | may      | yes   | -           | -             | yes           | -          | -
  capture-granted.t   | -      | -        | -         | -      | yes     | -       | yes        | yes        | -     | -      | yes        | yes   | may      | yes   | -           | -             | yes           | -          | -
  capture-reading.t   | -      | -        | -         | -      | -       | yes     | yes        | yes        | -     | -      | yes        | yes   | may      | yes   | -           | -             | yes           | -          | -
  capture-agent.t     | -      | -        | -         | -      | -       | -       | yes        | yes        | -     | -      | yes        | yes   | may      | yes   | yes         | -             | yes           | -          | -
  shelved.t           | -      | -        | -         | -      | -       | -       | yes        | yes        | -     | -      | yes        | yes   | yes      | yes   | -           | yes           | yes           | -          | -
  shelf-ids.t         | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  people.t            | -      | -        | -         | yes    | yes     | yes     | yes        | yes        | yes   | yes    | yes        | yes   | yes      | yes   | yes         | yes           | yes           | -          | yes
  invited.t           | -      | -        | -         | -      | -       | -       | yes        | yes        | -     | -      | yes        | yes   | yes      | yes   | -           | -             | -             | -          | -
  team-name.t         | -      | -        | -         | yes    | yes     | yes     | yes        | yes        | yes   | yes    | yes        | yes   | yes      | yes   | yes         | yes           | yes           | -          | yes
  token-name.t        | -      | -        | -         | yes    | yes     | yes     | yes        | yes        | may   | yes    | yes        | yes   | yes      | yes   | yes         | yes           | yes           | -          | -
  search.t            | -      | -        | -         | -      | -       | -       | yes        | yes        | -     | -      | yes        | yes   | yes      | yes   | -           | -             | -             | -          | -
  company-name.t      | -      | -        | yes       | yes    | yes     | yes     | yes        | yes        | yes   | yes    | yes        | yes   | yes      | yes   | yes         | yes           | yes           | -          | yes
  staff.t             | -      | -        | -         | -      | -       | -       | yes        | yes        | yes   | yes    | yes        | yes   | yes      | yes   | -           | -             | -             | -          | yes
  invitation.t        | -      | -        | -         | -      | -       | -       | -          | -          | yes   | yes    | yes        | yes   | yes      | -     | -           | -             | -             | -          | -
  reason.t            | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  reason-admin.t      | -      | -        | -         | -      | -       | -       | -          | -          | yes   | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  reason-reader.t     | -      | -        | -         | -      | -       | -       | -          | -          | -     | yes    | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  reason-full-admin.t | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | yes        | yes   | yes      | -     | -           | -             | -             | -          | -
  layer.u             | -      | -        | may       | -      | -       | -       | -          | -          | -     | -      | -          | may   | may      | -     | -           | -             | -             | -          | -
  client-a.u          | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  client-b.u          | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  backstage.u         | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  shelved.u           | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  shelf-ids.u         | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  people.u            | -      | -        | yes       | -      | -       | -       | -          | -          | yes   | yes    | yes        | yes   | yes      | -     | -           | -             | -             | -          | -
  invited.u           | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  team-name.u         | -      | -        | yes       | -      | -       | -       | -          | -          | yes   | yes    | yes        | yes   | yes      | -     | -           | -             | -             | -          | -
  token-name.u        | -      | -        | yes       | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  search.u            | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  layer.z             | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | may   | yes      | -     | -           | -             | -             | -          | -
  client-a.z          | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  client-b.z          | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  backstage.z         | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  shelved.z           | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  shelf-ids.z         | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  people.z            | -      | -        | -         | -      | -       | -       | -          | -          | yes   | yes    | yes        | yes   | yes      | -     | -           | -             | -             | -          | yes
  invited.z           | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  team-name.z         | -      | -        | -         | -      | -       | -       | -          | -          | yes   | yes    | yes        | yes   | yes      | -     | -           | -             | -             | -          | yes
  token-name.z        | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  search.z            | -      | -        | -         | -      | -       | -       | -          | -          | -     | -      | -          | yes   | yes      | -     | -           | -             | -             | -          | -
  team-name.v         | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  people.v            | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  staff.v             | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  company-name.v      | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  invitation.v        | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  invited.v           | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  token-name.v        | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  search.v            | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  client-a.v          | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  client-b.v          | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  backstage.v         | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  shelved.v           | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  layer.v             | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  shelf-ids.v         | -      | yes      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
  reason.v            | -      | may      | -         | -      | -       | -       | -          | -          | -     | -      | -          | -     | -        | -     | -           | -             | -             | -          | -
`);

export type Listener = CallerName | typeof HOLDER;
export const LISTENERS: readonly Listener[] = [...CALLERS, HOLDER];

/** What a listener must be told, and what it may be told, as `thing.place`. */
export function tellable(listener: Listener): { must: string[]; may: string[] } {
  const of = (...cells: string[]) =>
    TOLD.filter((row) => cells.includes(row[listener] ?? '')).map((row) => row['what'] ?? '');
  return { must: of('yes'), may: of('yes', 'may') };
}
