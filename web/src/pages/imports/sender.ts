import { useSyncExternalStore } from 'react';
import { DOCUMENT_BODY_LIMIT } from '../../../../shared/body-limits.ts';
import { importMediaType } from '../../../../shared/formats/media-types.ts';
import type { Import } from '../../../../shared/schemas/imports.ts';
import { base64Of, sha256Of } from '../../app/content.ts';
import type { Item } from '../../app/data.ts';
import { askBeforeLeaving } from '../../app/leaving.ts';
import { type Args, Refusal, send } from '../../app/request.ts';
import {
  isSessionOver,
  queryClient,
  rereadSession,
  signedInAs,
  useSession,
  useTeam,
} from '../../app/session.tsx';
import type { Chosen } from '../../app/shell/dropped-files.ts';
import { count, size } from '../../ui/text.tsx';

/** Where files are stored, and with what. */
export interface Target {
  /** null: the Team layer. */
  clientId: string | null;
  tags: string[];
  expiresAt: string | null;
}

/** A file on its way. `refused`: it cannot be imported; `unsent`: a try to send it failed; `unchanged`: the service has it. */
export interface Sending extends Chosen {
  id: string;
  target: Target;
  state: 'refused' | 'waiting' | 'sending' | 'unsent' | 'sent' | 'unchanged';
  /** Why it was not sent, or ''. */
  note: string;
  /** Of its import, when it was sent. */
  importId: string | null;
}

export interface SenderState {
  files: readonly Sending[];
  /** The imports of these files, and others that were read since: as they are now, by their ids. */
  known: ReadonlyMap<string, Import>;
  /** What the next files are stored with. */
  target: Target;
  /** Why sending has stopped, or ''. */
  held: string;
  /** Why sending waits a moment, or ''. */
  pause: string;
  isBusy: boolean;
}

type Part = { file: Sending; contentBase64: string };

/** The statuses of refusals that are caused by a file, and not by the person or the Team. */
const FILE_FAULTS = new Set([400, 413, 415, 422, 500]);
/** The statuses after which the same request is sent again. */
const PASSING = new Set([429, 502, 503, 504]);
const LONGEST_PAUSE_SECONDS = 30;
/** Why files wait until the person has signed in again. */
const ENDED = 'Your session has ended.';
/** After so many tries, some three minutes, the person decides when to go on. */
const MAX_TRIES = 10;

/** How an older format of an Office program is saved in one that can be imported. */
const NEWER: Readonly<Record<string, string>> = { doc: 'DOCX', xls: 'XLSX', ppt: 'PPTX' };
/** The largest request of the service, without what is in it besides the files; base64 is a third longer than a file. */
export const MAX_FILE_BYTES = Math.floor(((DOCUMENT_BODY_LIMIT - 16 * 1024) / 4) * 3);
const MAX_NAME_LENGTH = 300;
/** Requests stay small, so that each file shows its progress soon. A single file can be larger. */
const BATCH_BYTES = 2 * 1024 * 1024;
const BATCH_FILES = 50;
/** How many imports, and archived sources, are compared with the files to be sent. */
const MOST_COMPARED = 2000;

export const isActive = (made: Import | undefined) => made?.state === 'queued' || made?.state === 'running';

/** Whether nothing more happens to a file by itself. */
export const isOver = ({ state, importId }: Sending, known: SenderState['known']) =>
  importId === null ? state !== 'waiting' && state !== 'sending' : !isActive(known.get(importId));

/** Sends files to a Team, a few in each request and one request at a time. It goes on while other pages are shown. */
type Sender = ReturnType<typeof openSender>;

const senders = new Map<string, Sender>();

/** The sender of a person in a Team, which is kept in this tab. */
export function senderOf(user: string, team: string): Sender {
  const key = `${user} ${team}`;
  const sender = senders.get(key) ?? openSender(user, team);
  senders.set(key, sender);
  return sender;
}

/** The sender of the person in this Team, and its state. */
export function useSender() {
  const sender = senderOf(useSession().user.id, useTeam().id);
  return [sender, useSyncExternalStore(sender.subscribe, sender.state)] as const;
}

function openSender(user: string, team: string) {
  let state: SenderState = {
    files: [],
    known: new Map(),
    target: { clientId: null, tags: [], expiresAt: null },
    held: '',
    pause: '',
    isBusy: false,
  };
  let ids = 0;
  const owner = {};
  const listeners = new Set<() => void>();
  /** The imports that were in the list of all when it was read last. */
  let listed: readonly string[] = [];
  let endPause = () => {};

  function update(change: Partial<SenderState>) {
    state = { ...state, ...change };
    askBeforeLeaving(owner, state.isBusy);
    for (const listener of listeners) listener();
  }
  function set(some: readonly Sending[], change: Partial<Sending>) {
    const changed = new Set(some.map(({ id }) => id));
    update({ files: state.files.map((file) => (changed.has(file.id) ? { ...file, ...change } : file)) });
  }
  function setSent(files: readonly Sending[], imports: readonly Import[]) {
    learn(imports);
    for (const [index, file] of files.entries())
      set([file], { state: 'sent', importId: imports[index]?.id ?? null });
  }
  /** Takes over what is known of imports now. If one exceeds the quota, the files that wait are kept back. */
  function learn(imports: readonly Import[]) {
    const known = new Map(state.known);
    for (const made of imports) {
      const isNews = known.get(made.id)?.error === null;
      if (made.error?.code === 'quota_exceeded' && isNews && waiting().length > 0) hold(made.error.message);
      known.set(made.id, made);
    }
    update({ known });
  }
  /** Removes an import that was cancelled or deleted. */
  function forget(id: string) {
    const files = state.files.filter(({ importId }) => importId !== id);
    update({ files, known: new Map([...state.known].filter(([one]) => one !== id)) });
  }
  function hold(held: string) {
    update({ held });
    endPause();
  }
  // The person has signed in again.
  queryClient.getQueryCache().subscribe(() => {
    if (state.held === ENDED && signedInAs() === user) void run();
  });
  const waiting = () => state.files.filter((file) => file.state === 'waiting');

  async function run() {
    if (state.isBusy) return;
    update({ isBusy: true, held: '' });
    const compare = openComparison(team);
    // A file can be added, and sending can be stopped, during each request.
    for (let left = waiting(); left.length > 0 && state.held === ''; left = waiting()) {
      const together = left.filter(({ target }) => target === left[0]?.target);
      await sendBatch(together.slice(0, batchLength(together)), compare);
    }
    // A stop that kept nothing back is over: the next files are sent.
    update({ isBusy: false, ...(waiting().length === 0 && { held: '' }) });
    for (const name of ['listImports', 'getStatus'])
      void queryClient.invalidateQueries({ queryKey: [team, name] });
  }

  async function sendBatch(batch: readonly Sending[], compare: ReturnType<typeof openComparison>) {
    set(batch, { state: 'sending', note: '' });
    const parts: Part[] = [];
    for (const file of batch) {
      try {
        const [contentBase64, sha256] = await Promise.all([base64Of(file.file), sha256Of(file.file)]);
        const { clientId } = file.target;
        const made = sha256 && (await compare(file.name, clientId, sha256).catch(() => null));
        if (!made) parts.push({ file, contentBase64 });
        else if (isActive(made)) setSent([file], [made]);
        else set([file], { state: 'unchanged', note: 'The same file is stored under this name.' });
      } catch {
        const note = 'The file cannot be read. If it was moved or changed, choose it again.';
        set([file], { state: 'unsent', note });
      }
    }
    if (parts.length > 0) await sendParts(parts);
  }

  /** Sends files in one request. If one of them is at fault, sends each on its own. */
  async function sendParts(parts: readonly Part[]): Promise<void> {
    const files = parts.map(({ file }) => file);
    try {
      const imports = await askUntilAnswered(parts);
      if (imports === null) set(files, { state: 'waiting' });
      else setSent(files, imports);
    } catch (error) {
      const { status, message, fields } = error as Refusal;
      if (!FILE_FAULTS.has(status)) {
        set(files, { state: 'waiting' });
        hold(message);
      } else if (parts.length > 1) {
        for (const part of parts) await sendParts([part]);
      } else {
        const [field] = Object.entries(fields);
        const note = field === undefined ? message : `${field[0].split('/').pop() ?? ''} ${field[1]}`;
        set(files, { state: 'unsent', note });
      }
    }
  }

  /** Sends a request until it is answered, or held: then null. */
  async function askUntilAnswered(parts: readonly Part[]): Promise<Import[] | null> {
    const { clientId = null, ...target } = parts[0]?.file.target ?? {};
    const items = parts.map(({ file, contentBase64 }) => ({ filename: file.name, contentBase64, ...target }));
    const body = { items, ...(clientId !== null && { scope: { clientId } }) };
    const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-');
    for (let tries = 1; state.held === ''; tries += 1) {
      // Another tab can have signed out, or signed in as someone else: the cookie is theirs.
      if (signedInAs() !== user) {
        hold(isSessionOver() ? ENDED : 'You have signed out.');
        break;
      }
      try {
        return (await send(team, 'importFiles', [body], undefined, key)).imports;
      } catch (error) {
        const refusal = error instanceof Refusal ? error : null;
        if (refusal?.status === 401) {
          await rereadSession();
          if (signedInAs() !== user) continue;
        }
        if (refusal !== null && !PASSING.has(refusal.status) && refusal.code !== 'idempotency_in_progress')
          throw refusal;
        const why = refusal === null ? (error as Error).message : 'The service is busy.';
        const seconds = Math.max(refusal?.retryAfter ?? 0, Math.min(2 ** (tries - 1), LONGEST_PAUSE_SECONDS));
        if (tries === MAX_TRIES) hold(`${why} Sending has stopped after ${MAX_TRIES} tries. Go on later.`);
        else await wait(why, seconds);
      }
    }
    return null;
  }

  async function wait(why: string, seconds: number) {
    update({ pause: `${why} The page tries again in ${count(seconds, 'second')}.` });
    await new Promise<void>((resolve) => {
      endPause = resolve;
      addEventListener('online', () => resolve(), { once: true });
      setTimeout(resolve, seconds * 1000);
    });
    update({ pause: '' });
  }

  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => state,
    hold,
    setTarget: (target: Target) => update({ target }),
    learn,
    /** Sends files at once. What is over leaves the list, except what needs the person. */
    add(chosen: readonly Chosen[]) {
      const { files, known, target, held } = state;
      const isIdle = files.every((file) => isOver(file, known));
      const kept = files.filter((file) => !isIdle || file.state === 'refused' || file.state === 'unsent');
      const added = chosen.map((one): Sending => {
        const note = faultOf(one);
        ids += 1;
        const next = note === '' ? 'waiting' : 'refused';
        return { ...one, id: `new-${ids}`, target, state: next, note, importId: null };
      });
      update({ files: [...kept, ...added] });
      if (waiting().length > 0 && held === '') void run();
    },
    /** Sends what waits, and these files again. */
    resume(some: readonly Sending[] = []) {
      set(some, { state: 'waiting', note: '' });
      void run();
    },
    /** Removes some files from the list; what was sent goes on. */
    remove(goes: (file: Sending) => boolean) {
      const files = state.files.filter((file) => file.state === 'sending' || !goes(file));
      update({ files, ...(!state.isBusy && { held: '' }) });
    },
    forget,
    /**
     * Takes over which imports there are. What was listed before and is not now was deleted, such as in another tab.
     * @param oldest when the last of them was made, if there are older ones
     */
    list(imports: readonly Import[], oldest: string) {
      const ids = new Set(imports.map(({ id }) => id));
      for (const id of listed)
        if (!ids.has(id) && (state.known.get(id)?.createdAt ?? '') > oldest) forget(id);
      listed = [...ids];
    },
  };
}

/** Why a file cannot be imported, and what to do; '' if it can be sent. */
function faultOf({ name, file }: Chosen): string {
  if (importMediaType(name, undefined, false) === null) {
    const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase();
    if (extension === undefined) return 'Files without an extension cannot be read.';
    const newer = NEWER[extension];
    return `Files of type .${extension} cannot be read.${newer === undefined ? '' : ` Save it as ${newer}.`}`;
  }
  if (file.size === 0) return 'The file is empty.';
  if (file.size > MAX_FILE_BYTES)
    return `The file has ${size(file.size)}. The largest that can be imported has ${size(MAX_FILE_BYTES)}: divide it.`;
  const length = Array.from(name).length;
  if (length > MAX_NAME_LENGTH)
    return `The name has ${count(length, 'character')}. Give it at most ${MAX_NAME_LENGTH}, folders included.`;
  return '';
}

/** How many of these files are sent in the next request. */
function batchLength(files: readonly Chosen[]): number {
  let bytes = 0;
  const full = files.findIndex(({ file }, index) => {
    bytes += (file.size / 3) * 4;
    return index === BATCH_FILES || (index > 0 && bytes > BATCH_BYTES);
  });
  return full === -1 ? files.length : full;
}

/** The newest records of a list, as many as are compared. */
async function newest<N extends 'listImports' | 'listSources'>(team: string, name: N, query: object) {
  const items: Item<N>[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && items.length < MOST_COMPARED) {
    const args = [{ ...query, cursor, limit: 200 }] as unknown as Args<N>;
    const page = (await send(team, name, args)) as { items: Item<N>[]; nextCursor: string | null };
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/**
 * Finds the import of a file that the service has already: with the same name and bytes, in the same layer. The lists are
 * read once. What is not found in them is sent: the service then recognizes the file when it reads it.
 */
function openComparison(team: string) {
  const read = () =>
    Promise.all([newest(team, 'listImports', {}), newest(team, 'listSources', { state: 'archived' })]);
  let reading: ReturnType<typeof read> | undefined;
  return async (name: string, clientId: string | null, sha256: string): Promise<Import | undefined> => {
    const [imports, archived] = await (reading ??= read());
    const same = imports.filter(
      (made) => made.sha256 === sha256 && made.filename === name && made.clientId === clientId,
    );
    const isStored = ({ state, sourceId }: Import) =>
      state === 'completed' && sourceId !== null && !archived.some(({ id }) => id === sourceId);
    // If not all that is archived was read, an import can be of an archived source.
    return same.find(isActive) ?? (archived.length < MOST_COMPARED ? same.find(isStored) : undefined);
  };
}
