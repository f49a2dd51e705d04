import { useRef, useState } from '../html.js';
import { isDone, problemOf } from './ask.js';

/**
 * A change that the user can make, one at a time: a second click sends nothing.
 * @param {import('./ask.js').Ask} ask
 * @returns {{ busy: boolean, problem: string, clear: () => void,
 *   send: (method: string, path: string, body?: object) => Promise<import('./ask.js').Reply | null> }} `send` returns
 *   the answer if the change was made, else null, and `problem` then says why
 */
export function useAction(ask) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const sending = useRef(false);
  return {
    busy,
    problem,
    clear: () => setProblem(''),
    async send(method, path, body) {
      if (sending.current) return null;
      sending.current = true;
      setBusy(true);
      setProblem('');
      const reply = await ask(method, path, body);
      sending.current = false;
      setBusy(false);
      if (isDone(reply)) return reply;
      setProblem(problemOf(reply));
      return null;
    },
  };
}
