import { useRef, useState } from '../html.js';
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
