import { byId, put } from './element.js';

const dialog = byId('forget');

/** Asks whether an import is to be forgotten. The focus comes back to where it was. */
export function confirmForget(filename) {
  put(byId('forget-name'), filename);
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'forget'), { once: true });
  });
}

byId('forget-confirm').addEventListener('click', () => dialog.close('forget'));
byId('forget-keep').addEventListener('click', () => dialog.close());
