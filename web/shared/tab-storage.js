// What this tab keeps, and no other: it goes with the tab. The browser may refuse storage altogether. The pages
// work without; only a reload then knows nothing.

function tried(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

export function keep(key, value) {
  tried((storage) => storage.setItem(key, value));
}

/** What is kept under the key, or null. */
export function kept(key) {
  return tried((storage) => storage.getItem(key));
}

export function forget(key) {
  tried((storage) => storage.removeItem(key));
}
