import { unreadLine } from '../../../../shared/formats/unread-words.ts';
import type { Import, ImportStage } from '../../../../shared/schemas/imports.ts';
import { textColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/list.tsx';
import { count, Tag } from '../../ui/text.tsx';
import type { SenderState, Sending } from './sender.ts';

interface State {
  /** The state by which the list can be filtered. */
  state: Import['state'];
  words: string;
  tone: 'plain' | 'good' | 'warn' | 'bad';
}

/** A row of the list: an import of the service, or a file of this tab that has none yet. */
export interface Row extends State {
  id: string;
  name: string;
  bytes: number;
  clientId: string | null;
  /** What there is to say of it, in one line; '' if nothing. */
  note: string;
  file?: Sending;
  item?: Import;
}

const WAITS: State = { state: 'queued', words: 'Waiting', tone: 'plain' };
const SENDS: State = { state: 'queued', words: 'Sending', tone: 'warn' };
const REFUSED: State = { state: 'failed', words: 'Not imported', tone: 'bad' };

/** The states of imports, in the order of their tabs. */
export const STATES: Readonly<Record<Import['state'], State>> = {
  queued: WAITS,
  running: { state: 'running', words: 'Being read', tone: 'warn' },
  completed: { state: 'completed', words: 'Imported', tone: 'good' },
  failed: { state: 'failed', words: 'Failed', tone: 'bad' },
  cancelled: { state: 'cancelled', words: 'Cancelled', tone: 'plain' },
};

/** The states of files without an import. */
const FILE_STATES: Readonly<Record<Sending['state'], State>> = {
  refused: REFUSED,
  unsent: REFUSED,
  waiting: WAITS,
  sending: SENDS,
  sent: SENDS,
  unchanged: { state: 'completed', words: 'Already here', tone: 'good' },
};

const STAGES: Readonly<Record<ImportStage, string>> = {
  reading: 'Reading',
  cutting: 'Cutting into passages',
  storing: 'Storing',
};

function noteOf({ state, error, progress, unread, sameAs, encoding, ...item }: Import): string {
  const { redactions = [], similarSources } = item;
  if (state === 'failed') return error?.message ?? 'No reason is known.';
  if (state === 'running')
    return progress === null ? 'Starting' : `${STAGES[progress.stage]}, ${progress.percent} %`;
  if (state !== 'completed') return '';
  if (unread.length > 0) return unreadLine(unread);
  if (redactions.length > 0) return `${count(redactions.length, 'credential')} found in the file`;
  if (sameAs !== undefined) return `Same text as ${sameAs.title}`;
  if (similarSources[0] !== undefined) return `Nearly the same text as ${similarSources[0].title}`;
  return encoding === null ? '' : `Read as ${encoding} text`;
}

export function rowOfImport(item: Import): Row {
  const { id, filename: name, bytes, clientId, state } = item;
  return { ...STATES[state], id, name, bytes, clientId, note: noteOf(item), item };
}

/** The row of a file of this tab: of its import, if it has one. */
export function rowOfFile(file: Sending, known: SenderState['known']): Row {
  const item = known.get(file.importId ?? '');
  if (item !== undefined) return rowOfImport(item);
  const { id, name, note } = file;
  const { clientId } = file.target;
  return { ...FILE_STATES[file.state], id, name, bytes: file.file.size, clientId, note, file };
}

export const STATE_COLUMN: Column<Row> = {
  name: 'State',
  width: '6.5rem',
  cell: ({ words, tone }) => <Tag tone={tone}>{words}</Tag>,
};

export const NOTE_COLUMN = textColumn<Row>('Details', 'minmax(0,1.5fr)', ({ note }) => note);
