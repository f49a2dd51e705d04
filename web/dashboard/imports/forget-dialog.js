import { byId, put } from '../element.js';

/** The dialog of the page that is shown. */
let dialog = null;

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

/** Opens the dialog of a page: it is not shown yet. */
export function openForgetDialog() {
  const opened = byId('forget');
  dialog = opened;
  byId('forget-confirm').addEventListener('click', () => {
    answer(true);
    opened.close();
  });
  byId('forget-keep').addEventListener('click', () => opened.close());
  opened.addEventListener('close', () => {
    if (!opened.open) answer(false);
  });
}
