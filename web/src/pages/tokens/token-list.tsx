import { KeyRound, RefreshCw, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Permission } from '../../../../shared/permissions.ts';
import type { Client } from '../../../../shared/schemas/clients.ts';
import type { IssuedToken, Token } from '../../../../shared/schemas/tokens.ts';
import { useAll, useChange, useList } from '../../app/data.ts';
import { useNames } from '../../app/person.ts';
import { useSessionContext } from '../../app/session.tsx';
import { menuColumn, nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ConfirmAct, FormDialog } from '../../ui/form-dialog.tsx';
import { type Column, RecordList } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';

/** The lists of tokens, each with the operation that revokes one of them. */
const REVOKES = {
  listTokens: 'revokeToken',
  listTeamTokens: 'revokeTeamToken',
  listCompanyTokens: 'revokeCompanyToken',
} as const;
export const TOKENS_CHANGED = ['listTokens', 'listTeamTokens', 'listCompanyTokens'] as const;

const OVERLAPS = [0, 1, 24, 72].map((hours) => ({
  value: String(hours),
  name: hours === 0 ? 'no longer' : count(hours, 'more hour'),
}));

/** What most tokens are for. */
export const PRESETS: readonly {
  value: string;
  name: string;
  about: string;
  permissions: readonly Permission[];
}[] = [
  {
    value: 'agent',
    name: 'Agent',
    about: 'Searches, and stores what it learns: for a coding agent.',
    permissions: ['memory:read', 'memory:write'],
  },
  {
    value: 'read',
    name: 'Read',
    about: 'Searches and reads, and changes nothing.',
    permissions: ['memory:read'],
  },
  {
    value: 'consolidate',
    name: 'Consolidate',
    about: 'Makes memories of captures: for a scheduled job.',
    permissions: ['memory:curate'],
  },
];

/** What permissions are called together: by their preset, or how many they are. */
function presetOf(permissions: readonly Permission[]): string {
  const isSame = (preset: readonly Permission[]) =>
    preset.length === permissions.length && preset.every((name) => permissions.includes(name));
  return (
    PRESETS.find((preset) => isSame(preset.permissions))?.name ?? count(permissions.length, 'permission')
  );
}

interface Props {
  of: keyof typeof REVOKES;
  /** Shows a new secret; without this, the tokens cannot be rotated. */
  onRotated?: (issued: IssuedToken) => void;
  /** What the list shows if there are none. */
  children: ReactNode;
}

/** Agent tokens in any state, newest first. */
export function TokenList({ of, onRotated, children }: Props) {
  const { session, team } = useSessionContext();
  const isOwn = of === 'listTokens';
  const [people, gone] =
    of === 'listCompanyTokens'
      ? (['listCompanyMembers', 'someone who has left'] as const)
      : (['listTeamMembers', 'not a member'] as const);
  const ownerOf = useNames(people, gone, !isOwn);
  const clients = useAll('listClients', {}, team !== null).items;
  const read = useList(of, {});
  const [open, setOpen] = useState<{ what: 'rotate' | 'revoke'; token: Token } | null>(null);
  const revoke = useChange(REVOKES[of], TOKENS_CHANGED);
  const rotate = useChange('rotateToken', TOKENS_CHANGED);
  const close = () => setOpen(null);
  // Where they are all for the Team of the page, nobody has to read its name.
  const isTeamShown = read.items.some(({ teamId }) => teamId !== team?.id);
  const teamOf = (teamId: string) =>
    session.teams.find(({ id }) => id === teamId)?.name ?? 'out of your reach';
  const columns: readonly (Column<Token> | false)[] = [
    nameColumn('Name', ({ name }) => name, {
      after: ({ state }) => state !== 'active' && <Tag>{state}</Tag>,
    }),
    !isOwn && textColumn('Of', '9rem', ({ userId }) => ownerOf(userId)),
    isTeamShown && textColumn('Team', '8rem', ({ teamId }) => teamOf(teamId)),
    textColumn(
      'Can',
      '8rem',
      ({ permissions }) => presetOf(permissions),
      ({ permissions }) => permissions.join(', '),
    ),
    textColumn('Reaches', 'minmax(6rem,9rem)', ({ clientIds }) => reachOf(clientIds, clients)),
    {
      name: 'Last used',
      width: '6.5rem',
      cell: ({ lastUsedAt, lastUsedFrom }) => (
        <span className="text-soft" title={lastUsedFrom === null ? undefined : `from ${lastUsedFrom}`}>
          {lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />}
        </span>
      ),
    },
    timeColumn('Expires', ({ state, expiresAt }) => (state === 'revoked' ? null : expiresAt)),
    menuColumn(
      ({ name }) => name,
      (token) => [
        token.state === 'active' &&
          onRotated !== undefined && [RefreshCw, 'New secret', () => setOpen({ what: 'rotate', token })],
        token.state === 'active' && [Trash2, 'Revoke', () => setOpen({ what: 'revoke', token })],
      ],
    ),
  ];
  return (
    <>
      <RecordList
        label="Tokens"
        read={read}
        columns={columns}
        empty={<Empty icon={KeyRound} title="No tokens yet" children={children} />}
      />
      {open?.what === 'revoke' && (
        <ConfirmAct
          onClose={close}
          title="Revoke the token?"
          action="Revoke"
          act={() => revoke.mutateAsync([open.token.id])}
          done={`The token ${open.token.name} is revoked.`}
        >
          Every program that uses <Name>{open.token.name}</Name> is refused from its next request on.
        </ConfirmAct>
      )}
      {open?.what === 'rotate' && (
        <FormDialog
          title="New secret"
          action="Make a new secret"
          onClose={close}
          send={async (fields) => {
            const overlapHours = Number(fields.get('overlap'));
            const issued = await rotate.mutateAsync([open.token.id, { overlapHours }]);
            close();
            onRotated?.(issued);
          }}
        >
          <p className="text-soft">
            <Name>{open.token.name}</Name> keeps its permissions, and expires when it would have expired.
          </p>
          <SelectField
            label="The old secret works for"
            name="overlap"
            hint="The time that you need to give the program its new secret."
            options={OVERLAPS}
          />
        </FormDialog>
      )}
    </>
  );
}

/** Which layers a token reaches. */
function reachOf(ids: Token['clientIds'], clients: readonly Client[]): string {
  if (ids === null) return 'all in reach';
  if (ids.length === 0) return 'only the Team';
  const names = clients.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  if (names.length === 0) return count(ids.length, 'client');
  const more = ids.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
