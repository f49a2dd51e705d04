import { useLayoutEffect, useRef, useState } from '../html.js';
import { isDone, problemOf } from './ask.js';

/** @typedef {(method: string, path: string, body?: object) => Promise<import('./ask.js').Reply | null>} Send */

/**
 * A change that the user can make, one at a time: a second click sends nothing.
 * @param {import('./ask.js').Ask} ask
 * @param {Readonly<Record<string, string>>} [texts] what refusals mean here, by their code
 * @returns {{ busy: boolean, problem: string, setProblem: (problem: string) => void, clear: () => void, send: Send,
 *   request: Send }} `send` returns the answer if the change was made, else null, and `problem` then says why. `request`
 *   returns refusals too, and null only while another change is on its way
 */
export function useAction(ask, texts = {}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const sending = useRef(false);

  /** @type {Send} */
  async function request(method, path, body) {
    if (sending.current) return null;
    sending.current = true;
    setBusy(true);
    setProblem('');
    const reply = await ask(method, path, body);
    sending.current = false;
    setBusy(false);
    if (!isDone(reply)) setProblem(texts[reply.answer?.code] ?? problemOf(reply));
    return reply;
  }

  return {
    busy,
    problem,
    setProblem,
    clear: () => setProblem(''),
    request,
    async send(method, path, body) {
      const reply = await request(method, path, body);
      return reply !== null && isDone(reply) ? reply : null;
    },
  };
}

/** Moves the focus to the heading of the page, for what can disappear when it is used. */
export const toHeading = () => document.getElementById('page-heading')?.focus();

/**
 * Moves the focus when what had it is no longer shown.
 * @returns {(...ids: string[]) => void} moves it to the first of these elements that is there once the page shows the
 *   change
 */
export function useFocus() {
  const [wanted, setWanted] = useState(/** @type {readonly string[]} */ ([]));
  useLayoutEffect(() => {
    if (wanted.length === 0) return;
    const found = wanted.map((id) => document.getElementById(id)).find((element) => element !== null);
    if (found) found.focus();
    // A list that was read again can be without all of them.
    else toHeading();
  }, [wanted]);
  return (...ids) => setWanted(ids);
}

/**
 * The id of the item that has the focus after this one is gone.
 * @param {readonly { id: string }[]} items
 * @param {string} id
 */
export function neighbour(items, id) {
  const place = items.findIndex((item) => item.id === id);
  return (items[place + 1] ?? items[place - 1])?.id ?? null;
}
