import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { Nothing } from '../../../../shared/schemas/search.ts';
import type { Status } from '../../../../shared/schemas/status.ts';
import { useTeam } from '../../app/session.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import { count, Name } from '../../ui/text.tsx';

const STATES = {
  queued: 'waits to be read',
  running: 'is being read',
  pending: 'waits to be read',
  failed: 'could not be read',
} as const;

const LINK = 'text-brand underline';

/** Files that searches do not find yet. */
function Reading({ imports }: { imports: Status['imports'] }) {
  const reading = imports.queued + imports.running;
  if (reading === 0) return null;
  return (
    <Link to="/imports" className={LINK}>
      {count(reading, 'file')} to be read before searches find them
    </Link>
  );
}

/** In place of results, if there is nothing that could be found. */
export function NothingStored({ imports }: { imports: Status['imports'] }) {
  const { access, state } = useTeam();
  return (
    <Empty icon={SearchX} title="Nothing is stored here yet">
      <Reading imports={imports} />
      {access !== 'read' && state === 'active' ? (
        <Link to="/imports" className={buttonClass('primary')}>
          Import files
        </Link>
      ) : (
        <p>
          A search finds what was imported, and what agents have learned. Ask an Owner or Admin of the Team.
        </p>
      )}
    </Empty>
  );
}

interface Props {
  nothing: Nothing | undefined;
  imports: Status['imports'] | undefined;
  /** Searches without filters, if there are any. */
  onClear: (() => void) | undefined;
}

/** In place of results, if none was found: why, and what to try. */
export function NothingFound({ nothing, imports, onClear }: Props) {
  const { unknownWords = [], waiting = [], nearest = null } = nothing ?? {};
  return (
    <Empty icon={SearchX} title="No passage found">
      {onClear && <Button onClick={onClear}>Search everywhere, without filters</Button>}
      {unknownWords.length > 0 && (
        <p>
          No text here has{' '}
          {unknownWords.map((word, index) => (
            <span key={word}>
              {index > 0 && ', '}“<Name>{word}</Name>”
            </span>
          ))}
          .
        </p>
      )}
      {nearest !== null && (
        <p>
          The nearest title is{' '}
          <Link to="/sources/$id" params={{ id: nearest.sourceId }} className={LINK}>
            <Name>{nearest.title}</Name>
          </Link>
          .
        </p>
      )}
      {waiting.map(({ title, state, importId, path }) => (
        <p key={importId ?? path}>
          <Link to={importId === undefined ? '/files' : '/imports'} className={LINK}>
            <Name>{title}</Name>
          </Link>{' '}
          {STATES[state]}.
        </p>
      ))}
      {waiting.length === 0 && imports && <Reading imports={imports} />}
      <p>Use fewer words, or those that the text itself would use; write codes and names exactly.</p>
    </Empty>
  );
}
