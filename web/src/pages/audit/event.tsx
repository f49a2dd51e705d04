import { Link } from '@tanstack/react-router';
import type { AuditEvent } from '../../../../shared/schemas/audit.ts';
import { useSession } from '../../app/session.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/section.tsx';
import { Name } from '../../ui/text.tsx';
import { actorOf, inWords, type Names, tell, words } from './sentences.ts';

/** The pages of records, by the types of subjects. */
const PAGES = { source: '/sources/$id', memory: '/memories/$id', file: '/files' } as const;

/** Who did what to which record, with a link to it if it has a page. */
export function Sentence({ event, names }: { event: AuditEvent; names: Names }) {
  const { teams } = useSession();
  const { subjectType, subjectId, teamId, detail } = event;
  const { before, noun, name, after, more } = tell(event, names);
  const to = PAGES[subjectType as keyof typeof PAGES];
  // The id of a deleted Team leads nowhere.
  const isReachable = to !== undefined && teams.some(({ id }) => id === teamId);
  const record = (
    <>
      {noun}
      {name !== null && <Name className="font-medium">{name}</Name>}
    </>
  );
  return (
    <>
      <Name className="font-medium">{actorOf(event)}</Name>
      {event.tokenId !== null && <span className="text-faint"> (by a token)</span>} {before}
      {isReachable && subjectId !== null ? (
        <Link
          to={to}
          params={{ id: subjectId }}
          search={{ team: teamId, path: subjectType === 'file' ? detail['path'] : undefined } as never}
          className="underline decoration-line underline-offset-2 hover:decoration-current"
        >
          {record}
        </Link>
      ) : (
        record
      )}
      {after}
      {more !== null && (
        <span className="text-soft">
          {' · '}
          <Name>{more}</Name>
        </span>
      )}
    </>
  );
}

/** What has a value. */
const known = (values: Readonly<Record<string, string | null>>) =>
  Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));

const Id = ({ id, of }: { id: string; of: string }) => (
  <span className="flex items-center gap-1">
    <code className="font-mono text-xs break-all">{id}</code>
    <CopyButton text={id} label={`Copy the id of the ${of}`} />
  </span>
);

interface Props {
  event: AuditEvent;
  names: Names;
  /** Whether it is in a list of several Teams. */
  isOfCompany: boolean;
  onClose: () => void;
  onFilter: (filter: { subject: string } | { actor: string } | { of: string }) => void;
}

/** Everything that is known about an event, and what leads on from it. */
export function EventDrawer({ event, names, isOfCompany, onClose, onFilter }: Props) {
  const { id, kind, actorId, tokenId, subjectType, subjectId, teamId, clientName, detail, at } = event;
  const team = names.get(teamId ?? '') ?? 'this deleted Team';
  const filterBy = (filter: Parameters<Props['onFilter']>[0], word: string, name: string) => (
    <button type="button" className="text-left text-brand hover:underline" onClick={() => onFilter(filter)}>
      All events {word} <Name>{name}</Name>
    </button>
  );
  const facts = [
    ...known({ kind, Team: teamId && team, client: clientName }),
    ...Object.entries(detail).map(([name, value]) => [words(name), value] as const),
  ];
  const ids = { [words(subjectType)]: subjectId, person: actorId, token: tokenId, event: id };
  return (
    <Dialog onClose={onClose} title="Event" isDrawer>
      <div className="flex flex-col gap-5">
        <p className="text-lg">
          <Sentence event={event} names={names} />
        </p>
        <div className="flex flex-col items-start gap-1.5">
          {subjectId !== null && filterBy({ subject: subjectId }, 'about', 'this record')}
          {filterBy({ actor: actorId }, 'by', actorOf(event))}
          {isOfCompany && teamId !== null && filterBy({ of: teamId }, 'of', team)}
        </div>
        <Facts
          facts={[
            ['time', new Date(at).toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'medium' })],
            ...facts.map(([name, value]) => [name, <Name key={name}>{inWords(value)}</Name>] as const),
            ...known(ids).map(([of, id]) => [`id of the ${of}`, <Id key={of} id={id} of={of} />] as const),
          ]}
        />
      </div>
    </Dialog>
  );
}
