import { askService } from '../../../shared/ask-service.js';
import { isSession } from '../../../shared/session.js';
import { askWhileGoing } from '../../address.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { count } from '../../parts/words.js';
import { batchLength, faultOf, readContent } from './chosen-files.js';

/**
 * @typedef {import('../../../../shared/schemas/imports.ts').Import} Import
 * @typedef {import('./chosen-files.js').Chosen} Chosen
 *
 * Where files are stored, and with what.
 * @typedef {{ clientId: string | null, tags: string[], expiresAt: string | null }} Target `clientId` null: the Team layer
 *
 * A file on its way. `refused`: it cannot be imported; `unsent`: a try to send it failed; `unchanged`: the service has it.
 * @typedef {object} Sending
 * @property {number} key
 * @property {string} name
 * @property {File} file
 * @property {Target} target
 * @property {'refused' | 'waiting' | 'sending' | 'unsent' | 'sent' | 'unchanged'} state
 * @property {string} problem why it was not sent, or ''
 * @property {Import | null} made its import, as far as it is known
 *
 * Finds the import of a file that the service has already.
 * @typedef {(file: Sending, sha256: string) => Promise<Import | null>} Compare
 *
 * Sends files to a Team, a few in each request and one request at a time. It goes on while other pages are shown.
 * @typedef {ReturnType<typeof openSender>} Sender
 */

/** The statuses of refusals that are caused by a file, and not by the user or the Team. */
const FILE_FAULTS = new Set([400, 413, 415, 422, 500]);
/** The statuses after which the same request is sent again. */
const PASSING = new Set([0, 429, 502, 503, 504]);
const LONGEST_PAUSE_SECONDS = 30;
/** After so many tries, some three minutes, the user decides when to go on. */
const MAX_TRIES = 10;
/** Why a request is sent again. @type {Readonly<Record<number, string>>} */
const WHY = {
  0: 'The service did not answer. Check your connection.',
  429: 'Much was sent in a short time.',
};

/** The senders of the user of this tab, by Team. @type {{ token: string, byTeam: Map<string, Sender> }} */
let opened = { token: '', byTeam: new Map() };

/**
 * The sender of a Team. It is kept while the user is signed in, with what it has sent.
 * @param {string} token
 * @param {string} team
 * @returns {Sender}
 */
export function senderOf(token, team) {
  if (opened.token !== token) {
    for (const sender of opened.byTeam.values()) sender.hold('You have signed out.');
    opened = { token, byTeam: new Map() };
  }
  const sender = opened.byTeam.get(team) ?? openSender(token, team);
  opened.byTeam.set(team, sender);
  return sender;
}

/**
 * @param {string} token
 * @param {string} team
 */
function openSender(token, team) {
  /** @type {Sending[]} */
  let files = [];
  let keys = 0;
  /** Why sending has stopped, or ''. */
  let held = '';
  /** Why sending waits a moment, or ''. */
  let pause = '';
  let running = false;
  /** Whether the browser stores the session, so that its end can be seen. */
  const isStored = isSession(token);
  /** Ends a pause. */
  let hurry = () => {};
  /** The answer after which the session or the Team is gone. @type {{ status: number } | null} */
  let lost = null;
  /** @type {() => void} */
  let changed = () => {};
  const askWhile = askWhileGoing({
    question: 'Files are still being sent, and signing out stops it. Sign out all the same?',
    leaves: (_, to) => to.path === '' && (!isStored || isSession(token)),
  });

  const waiting = () => files.filter(({ state }) => state === 'waiting');

  function report() {
    askWhile(running);
    changed();
  }

  /**
   * @param {readonly Sending[]} some
   * @param {Partial<Sending>} change
   */
  function set(some, change) {
    for (const file of some) Object.assign(file, change);
    report();
  }

  /** @param {string} why */
  function hold(why) {
    held = why;
    hurry();
    report();
  }

  async function run() {
    if (running) return;
    running = true;
    [held, lost] = ['', null];
    report();
    const compare = await loadComparison(token, team);
    // A file can be added, and sending can be stopped, during each request.
    for (let left = waiting(); left.length > 0 && held === ''; left = waiting()) {
      const target = left[0]?.target;
      const together = left.filter((file) => file.target === target);
      await sendBatch(together.slice(0, batchLength(together)), compare);
    }
    running = false;
    report();
  }

  /**
   * @param {readonly Sending[]} batch
   * @param {Compare} compare
   */
  async function sendBatch(batch, compare) {
    set(batch, { state: 'sending', problem: '' });
    /** @type {{ file: Sending, contentBase64: string }[]} */
    const parts = [];
    for (const file of batch) {
      try {
        const { contentBase64, sha256 } = await readContent(file.file);
        const same = sha256 === null ? null : await compare(file, sha256);
        if (same === null) parts.push({ file, contentBase64 });
        else set([file], { state: 'unchanged', made: same });
      } catch {
        set([file], {
          state: 'unsent',
          problem: 'The file cannot be read. If it was moved or changed, choose it again.',
        });
      }
    }
    if (parts.length > 0) await send(parts);
  }

  /**
   * Sends files in one request. If one of them is at fault, sends each half on its own.
   * @param {readonly { file: Sending, contentBase64: string }[]} parts
   */
  async function send(parts) {
    const some = parts.map(({ file }) => file);
    if (held !== '') return set(some, { state: 'waiting' });
    const reply = await askUntilAnswered(parts);
    if (reply === null) return set(some, { state: 'waiting' });
    if (isDone(reply)) {
      /** @type {Import[]} */
      const imports = reply.answer.imports;
      for (const [index, file] of some.entries()) {
        set([file], { state: 'sent', problem: '', made: imports[index] ?? null });
      }
    } else if (!FILE_FAULTS.has(reply.status)) {
      set(some, { state: 'waiting' });
      if (reply.status === 401 || reply.answer?.code === 'team_forbidden') lost = reply;
      hold(problemOf(reply));
    } else if (parts.length > 1) {
      const half = Math.ceil(parts.length / 2);
      await send(parts.slice(0, half));
      await send(parts.slice(half));
    } else set(some, { state: 'unsent', problem: faultIn(reply) });
    return undefined;
  }

  /**
   * Sends a request until it is answered, or held: then null.
   * @param {readonly { file: Sending, contentBase64: string }[]} parts
   */
  async function askUntilAnswered(parts) {
    const { clientId = null, tags = [], expiresAt = null } = parts[0]?.file.target ?? {};
    const body = {
      items: parts.map(({ file, contentBase64 }) => ({
        filename: file.name,
        contentBase64,
        ...(tags.length === 0 ? {} : { tags }),
        ...(expiresAt === null ? {} : { expiresAt }),
      })),
      ...(clientId === null ? {} : { scope: { clientId } }),
    };
    const idempotencyKey = Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-');
    for (let failures = 0; ; failures += 1) {
      // If the service could not be reached, the session is still open on it.
      if (isStored && !isSession(token)) hold('You have signed out.');
      if (held !== '') return null;
      const reply = await askService('POST', 'v1/memory/imports', { token, team, body, idempotencyKey });
      const again = PASSING.has(reply.status) || reply.answer?.code === 'idempotency_in_progress';
      if (!again) return reply;
      const why = WHY[reply.status] ?? 'The service is busy.';
      if (failures + 1 === MAX_TRIES) {
        hold(`${why} Sending has stopped after ${count(MAX_TRIES, 'try', 'tries')}. Go on later.`);
        return null;
      }
      const seconds = Math.max(reply.retryAfter, Math.min(2 ** failures, LONGEST_PAUSE_SECONDS));
      pause = `${why} The page tries again in ${count(seconds, 'second')}.`;
      report();
      await new Promise((resolve) => {
        hurry = () => resolve(undefined);
        addEventListener('online', hurry, { once: true });
        setTimeout(hurry, seconds * 1000);
      });
      pause = '';
      report();
    }
  }

  return {
    view: () => ({ files, held, pause, busy: running, lost }),
    hold,
    /** @param {() => void} listener is called after every change; there is one page that listens */
    listen(listener) {
      changed = listener;
      return () => {
        if (changed === listener) changed = () => {};
      };
    },
    /**
     * @param {readonly Chosen[]} chosen
     * @param {Target} target
     */
    add(chosen, target) {
      for (const one of chosen) {
        const fault = faultOf(one);
        keys += 1;
        files.push({
          ...one,
          key: keys,
          target,
          state: fault === null ? 'waiting' : 'refused',
          problem: fault ?? '',
          made: null,
        });
      }
      report();
      if (waiting().length > 0 && held === '') void run();
    },
    /** Sends what waits, and these files again. @param {readonly Sending[]} some */
    resume(some) {
      set(some, { state: 'waiting', problem: '' });
      held = '';
      void run();
    },
    /** Removes what is no longer on its way. */
    clear() {
      files = files.filter(({ state }) => state === 'sending' || (state === 'waiting' && running));
      if (!running) held = '';
      report();
    },
    /**
     * Takes over what is known of the imports now. If one exceeds the quota, the files that wait are kept back.
     * @param {ReadonlyMap<string, Import | null>} imports null: it no longer exists
     */
    update(imports) {
      for (const file of files) {
        const known = file.made === null ? undefined : imports.get(file.made.id);
        if (known === undefined) continue;
        const isNew = known?.error?.code === 'quota_exceeded' && file.made?.error?.code !== 'quota_exceeded';
        file.made = known;
        // What failed before the user went on does not stop it again.
        if (isNew && waiting().length > 0) held = known.error === null ? '' : known.error.message;
      }
      report();
    },
  };
}

/**
 * Compares files with those that the service has, if the script for it can be loaded.
 * @param {string} token
 * @param {string} team
 * @returns {Promise<Compare>}
 */
const loadComparison = (token, team) =>
  import('./known-files.js').then(
    ({ openComparison }) => openComparison(token, team),
    () => async () => null,
  );

/**
 * What is wrong with the only file of a request.
 * @param {import('../../../shared/ask-service.js').Reply} reply
 */
function faultIn(reply) {
  const [first] = reply.answer?.errors ?? [];
  return first === undefined ? problemOf(reply) : `${first.path.split('/').pop()} ${first.message}`;
}
