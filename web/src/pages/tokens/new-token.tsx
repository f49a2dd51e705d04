import { useState } from 'react';
import type { IssuedToken } from '../../../../shared/schemas/tokens.ts';
import { useAll, useChange } from '../../app/data.ts';
import { useTeam } from '../../app/session.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { Segments } from '../../ui/segments.tsx';
import { LoadedList } from '../../ui/states.tsx';
import { Name } from '../../ui/text.tsx';
import { meaningOf, type Permission, PRESETS, permissionsFor } from './permissions.ts';
import { TOKENS_CHANGED } from './token-list.tsx';

const DAYS = [7, 30, 90, 180, 366].map((days) => ({ value: String(days), name: `${days} days` }));
const CUSTOM = { value: 'custom', name: 'Choose …' };
const REACHES = [
  { value: 'all', name: 'All that you reach' },
  { value: 'none', name: 'Only the Team' },
  { value: 'some', name: 'Some clients' },
] as const;

/** Makes an agent token for the Team. */
export function NewToken({
  onClose,
  onIssued,
}: {
  onClose: () => void;
  onIssued: (issued: IssuedToken) => void;
}) {
  const team = useTeam();
  const [preset, setPreset] = useState('agent');
  const [chosen, setChosen] = useState<readonly string[]>(['memory:read']);
  const [reach, setReach] = useState<(typeof REACHES)[number]['value']>('all');
  const [clients, setClients] = useState<readonly string[]>([]);
  const inReach = useAll('listClients', {});
  const create = useChange('createToken', TOKENS_CHANGED);

  const offered: readonly Permission[] = permissionsFor(team.access);
  const presets = PRESETS.filter(({ permissions }) => permissions.every((name) => offered.includes(name)));
  const used =
    presets.find(({ value }) => value === preset) ?? (preset === 'custom' ? undefined : presets[0]);

  async function send(fields: FormData) {
    const permissions = [...(used?.permissions ?? offered.filter((name) => chosen.includes(name)))];
    if (permissions.length === 0) throw new Error('Choose at least one permission.');
    const limit = { all: {}, none: { clientIds: [] }, some: { clientIds: [...clients] } }[reach];
    const body = { name: textIn(fields, 'name'), permissions, expiresInDays: Number(fields.get('days')) };
    onIssued(await create.mutateAsync([{ ...body, ...limit, teamId: team.id }]));
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
            options={offered.map((name) => ({ value: name, name, about: meaningOf(name) }))}
            chosen={chosen}
            onChange={setChosen}
          />
        )}
      </div>
      <div className="flex flex-col gap-1">
        <Segments isLabelShown label="Reaches" value={reach} options={REACHES} onChange={setReach} />
        {reach === 'some' && (
          <LoadedList query={inReach.query}>
            <Choices
              label="Clients"
              options={inReach.items.map(({ id, name }) => ({ value: id, name }))}
              chosen={clients}
              onChange={setClients}
            />
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
  options: readonly { value: string; name: string; about?: string }[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** Boxes to tick. */
function Choices({ label, options, chosen, onChange }: ChoicesProps) {
  return (
    <div role="group" aria-label={label} className="max-h-64 overflow-y-auto rounded-md border border-line">
      {options.length === 0 && <p className="px-3 py-2 text-sm text-faint">You reach none in this Team.</p>}
      {options.map(({ value, name, about }) => (
        <label key={value} className="flex items-center gap-3 border-b border-line px-3 py-2 last:border-b-0">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          <span className="min-w-0">
            <Name>{name}</Name>
            {about !== undefined && <span className="block text-sm text-faint">{about}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}
