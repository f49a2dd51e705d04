import { byId, put } from '../element.js';

const dialog = byId('forget');

/** Resolves the promise of the last question. */
let answer = () => {};

/** Asks whether to forget an import. Afterwards, the focus returns to where it was. */
export function confirmForget(filename) {
  // The browser reports the closing of a dialog late. The next dialog can already be open.
  answer(false);
  put(byId('forget-name'), filename);
  dialog.showModal();
  return new Promise((resolve) => {
    answer = resolve;
  });
}

byId('forget-confirm').addEventListener('click', () => {
  answer(true);
  dialog.close();
});
byId('forget-keep').addEventListener('click', () => dialog.close());
dialog.addEventListener('close', () => {
  if (!dialog.open) answer(false);
});
