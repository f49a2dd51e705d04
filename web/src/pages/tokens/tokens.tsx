import { Plus } from 'lucide-react';
import { useState } from 'react';
import { PERMISSION_NAMES, PERMISSIONS, type Permission } from '../../../../shared/permissions.ts';
import type { IssuedToken } from '../../../../shared/schemas/tokens.ts';
import { useAll, useChange } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useTeam } from '../../app/session.tsx';
import { primaryButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { LoadedList } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Name } from '../../ui/text.tsx';
import { Issued, NO_TOKEN, Programs } from './connect.tsx';
import { PRESETS, TOKENS_CHANGED, TokenList } from './token-list.tsx';

/** The page at /tokens. */
export default function Tokens() {
  const [filters, setFilters] = useFilters('/tokens');
  const { access, state } = useTeam();
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  const canMake = state === 'active';
  const tabs = [
    { value: undefined, name: 'Yours' },
    ...(access === 'full' ? [{ value: 'team', name: 'Of the Team' }] : []),
    { value: 'connect', name: 'Connect' },
  ];
  const tab = tabs.find(({ value }) => value === filters.tab)?.value;
  const close = () => void setFilters({ new: undefined });
  // The form closes first, so that it does not open again where the secret is left.
  const show = (made: IssuedToken) => {
    close();
    setIssued(made);
  };
  const newButton = canMake && primaryButton(Plus, 'New token', () => void setFilters({ new: '1' }));
  return (
    <Page actions={newButton}>
      <Tabs label="Tokens" parameter="tab" value={tab} tabs={tabs} />
      {tab === undefined && (
        <TokenList of="listTokens" onRotated={setIssued}>
          <p>With a token, an agent or a script acts for you in one Team, with fewer rights than you have.</p>
          {newButton || <p>A token needs a Team that is not archived.</p>}
        </TokenList>
      )}
      {tab === 'team' && <TokenList of="listTeamTokens">Nobody has made a token for this Team.</TokenList>}
      {tab === 'connect' && (
        <div className="flex max-w-2xl flex-col gap-3">
          <p className="text-soft">
            Put a token in place of <code className="font-mono text-sm">{NO_TOKEN}</code>. A new token comes
            with lines that contain it.
          </p>
          <Programs token={NO_TOKEN} />
        </div>
      )}
      {filters.new !== undefined && canMake && <NewToken onClose={close} onIssued={show} />}
      {issued !== null && <Issued issued={issued} onClose={() => setIssued(null)} />}
    </Page>
  );
}

/** What is of no use without more access in the Team than to read. */
const NEEDS_MEMBER: readonly Permission[] = ['memory:write', 'memory:curate', 'workspace:write'];
const NEEDS_FULL: readonly Permission[] = ['memory:review', 'audit:read'];

const DAYS = [7, 30, 90, 180, 366].map((days) => ({ value: String(days), name: `${days} days` }));
const CUSTOM = { value: 'custom', name: 'Choose …' };
const REACHES = [
  { value: 'all', name: 'All that you reach' },
  { value: 'none', name: 'Only the Team' },
  { value: 'some', name: 'Some clients' },
] as const;

interface NewProps {
  onClose: () => void;
  onIssued: (issued: IssuedToken) => void;
}

/** Makes an agent token for the Team. */
function NewToken({ onClose, onIssued }: NewProps) {
  const { id: teamId, access } = useTeam();
  const offered = PERMISSION_NAMES.filter(
    (name) =>
      !(access === 'read' && NEEDS_MEMBER.includes(name)) &&
      (access === 'full' || !NEEDS_FULL.includes(name)),
  );
  const presets = PRESETS.filter(({ permissions }) => permissions.every((name) => offered.includes(name)));
  const [preset, setPreset] = useState(presets[0]?.value);
  const used = presets.find(({ value }) => value === preset);
  const [chosen, setChosen] = useState<readonly string[]>(['memory:read']);
  const [reach, setReach] = useState<(typeof REACHES)[number]['value']>('all');
  const [clientIds, setClientIds] = useState<readonly string[]>([]);
  const clients = useAll('listClients', {});
  const create = useChange('createToken', TOKENS_CHANGED);
  async function send(fields: FormData) {
    const permissions = [...(used?.permissions ?? offered.filter((name) => chosen.includes(name)))];
    if (permissions.length === 0) throw new Error('Choose at least one permission.');
    const limit = { all: {}, none: { clientIds: [] }, some: { clientIds: [...clientIds] } }[reach];
    const body = { name: textIn(fields, 'name'), permissions, expiresInDays: Number(fields.get('days')) };
    onIssued(await create.mutateAsync([{ ...body, ...limit, teamId }]));
  }
  return (
    <FormDialog title="New token" action="Create the token" onClose={onClose} send={send}>
      <TextField
        label="Name"
        name="name"
        hint="What uses it, such as “Claude Code on my laptop”. What it stores shows this name."
        required
        maxLength={300}
        autoComplete="off"
        autoFocus
      />
      <div className="flex flex-col gap-1">
        <Segments
          isLabelShown
          label="It can"
          value={used?.value ?? CUSTOM.value}
          options={[...presets, CUSTOM]}
          onChange={setPreset}
        />
        <p className="text-sm text-faint empty:hidden">{used?.about}</p>
        {used === undefined && (
          <Choices
            label="Permissions"
            options={offered.map((id) => ({ id, name: id, about: PERMISSIONS[id].replaceAll('`', '') }))}
            chosen={chosen}
            onChange={setChosen}
          />
        )}
      </div>
      <div className="flex flex-col gap-1">
        <Segments isLabelShown label="Reaches" value={reach} options={REACHES} onChange={setReach} />
        {reach === 'some' && (
          <LoadedList list={clients}>
            <Choices label="Clients" options={clients.items} chosen={clientIds} onChange={setClientIds} />
          </LoadedList>
        )}
      </div>
      <div className="w-40">
        <SelectField label="Works for" name="days" defaultValue="90" options={DAYS} />
      </div>
    </FormDialog>
  );
}

interface ChoicesProps {
  label: string;
  options: readonly { id: string; name: string; about?: string }[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** Boxes to tick. */
const Choices = ({ label, options, chosen, onChange }: ChoicesProps) => (
  <div role="group" aria-label={label} className="max-h-64 overflow-y-auto rounded-md border border-line">
    {options.length === 0 && <p className="px-3 py-2 text-sm text-faint">You reach none in this Team.</p>}
    {options.map(({ id, name, about }) => (
      <label key={id} className="flex items-center gap-3 border-b border-line px-3 py-2 last:border-b-0">
        <input
          type="checkbox"
          checked={chosen.includes(id)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
          }
        />
        <span className="min-w-0">
          <Name>{name}</Name>
          {about && <span className="block text-sm text-faint">{about}</span>}
        </span>
      </label>
    ))}
  </div>
);
