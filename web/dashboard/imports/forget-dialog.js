import { byId, put } from '../element.js';

const dialog = byId('forget');

/** Answers the question that was asked last. */
let answer = () => {};

/** Asks whether an import is to be forgotten. The focus comes back to where it was. */
export function confirmForget(filename) {
  // The browser tells late that a dialog was closed: by now the next may be open.
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
