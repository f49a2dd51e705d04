// Storage for this tab only, which is deleted with the tab. The browser can refuse storage. The pages then still work,
// but a reload loses the data.

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

/** The value stored under the key, or null. */
export function kept(key) {
  return tried((storage) => storage.getItem(key));
}

export function forget(key) {
  tried((storage) => storage.removeItem(key));
}
