import { html, useLayoutEffect, useRef, useState } from '../html.js';
import { isDone, problemOf } from './ask.js';

/**
 * Reads one record, and again when the path changes.
 * @template Value
 * @param {import('./ask.js').Ask} ask
 * @param {string | null} path null reads nothing
 * @returns {{ value: Value | null, problem: string, missing: boolean, reload: () => Promise<void>,
 *   set: (value: Value) => void }} `missing`: there is no such record, or it is out of reach
 */
export function useRecord(ask, path) {
  const [state, setState] = useState(
    /** @type {{ path: string | null, value: Value | null, problem: string, missing: boolean }} */
    ({ path, value: null, problem: '', missing: false }),
  );

  /** Counts the readings: only the answer to the last one is shown. */
  const reading = useRef(0);

  async function read() {
    reading.current += 1;
    const mine = reading.current;
    if (path === null) return;
    const reply = await ask('GET', path);
    if (mine !== reading.current) return;
    setState((before) => {
      // Another record was asked for since then.
      if (before.path !== path) return before;
      if (isDone(reply)) return { path, value: reply.answer, problem: '', missing: false };
      // What was read before stays, so that nothing is lost by a service that is busy for a moment.
      const missing = reply.status === 404;
      return { path, value: missing ? null : before.value, problem: problemOf(reply), missing };
    });
  }

  useLayoutEffect(() => {
    setState((before) =>
      before.path === path ? before : { path, value: null, problem: '', missing: false },
    );
    void read();
  }, [ask, path]);

  return {
    ...state,
    reload: read,
    set(value) {
      // An answer to an earlier reading is older than this.
      reading.current += 1;
      setState((before) => ({ ...before, value, problem: '', missing: false }));
    },
  };
}

/**
 * In place of a record that does not exist or is out of reach: both read the same.
 * @param {object} props
 * @param {string} props.what what it would be, such as `source`
 * @param {string} props.href where the others are
 * @param {string} props.link the text of the link
 */
export function Missing({ what, href, link }) {
  return html`
    <section class="card">
      <p role="status">There is no such ${what}, or you do not have access to it.</p>
      <p><a href=${href}>${link}</a></p>
    </section>
  `;
}
