import { KeyRound, RefreshCw, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { IssuedToken, Token } from '../../../../shared/schemas/tokens.ts';
import { useChange, useList } from '../../app/data.ts';
import { useSessionContext } from '../../app/session.tsx';
import { menuColumn, nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ConfirmAct, FormDialog } from '../../ui/form-dialog.tsx';
import { type Column, RecordList } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';
import { presetOf } from './permissions.ts';

/** The lists of tokens, each with the operation that revokes one of them. */
const REVOKES = {
  listTokens: 'revokeToken',
  listTeamTokens: 'revokeTeamToken',
  listCompanyTokens: 'revokeCompanyToken',
} as const;
export const TOKENS_CHANGED = ['listTokens', 'listTeamTokens', 'listCompanyTokens'] as const;

const OVERLAPS = [
  { value: '0', name: 'no longer' },
  { value: '1', name: '1 more hour' },
  { value: '24', name: '24 more hours' },
  { value: '72', name: '72 more hours' },
];

interface Props {
  of: keyof typeof REVOKES;
  /** The name of its owner; without this, all are the person's own. */
  ownerOf?: (userId: string) => string;
  /** The name of a client, if it is known. */
  clientOf?: (id: string) => string | undefined;
  /** Shows a new secret; without this, the tokens cannot be rotated. */
  onRotated?: (issued: IssuedToken) => void;
  empty: ReactNode;
}

/** Agent tokens in any state, newest first. */
export function TokenList({ of, ownerOf, clientOf, onRotated, empty }: Props) {
  const { session, team } = useSessionContext();
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
    ownerOf !== undefined && textColumn('Of', '9rem', ({ userId }) => ownerOf(userId)),
    isTeamShown && textColumn('Team', '8rem', ({ teamId }) => teamOf(teamId)),
    textColumn(
      'Can',
      '8rem',
      ({ permissions }) => presetOf(permissions),
      ({ permissions }) => permissions.join(', '),
    ),
    textColumn('Reaches', 'minmax(6rem,9rem)', ({ clientIds }) => reachOf(clientIds, clientOf)),
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
        idOf={({ id }) => id}
        empty={
          <Empty icon={KeyRound} title="No tokens yet">
            {empty}
          </Empty>
        }
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
function reachOf(ids: Token['clientIds'], clientOf: (id: string) => string | undefined = () => undefined) {
  if (ids === null) return 'all in reach';
  if (ids.length === 0) return 'only the Team';
  const names = ids.flatMap((id) => clientOf(id) ?? []);
  if (names.length === 0) return count(ids.length, 'client');
  const more = ids.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
