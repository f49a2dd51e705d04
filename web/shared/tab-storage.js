// Storage for this tab only, which is deleted with the tab. The browser can refuse storage. The pages then still work,
// but a reload loses the data.

function withStorage(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

export function storeValue(key, value) {
  withStorage((storage) => storage.setItem(key, value));
}

/** The value stored under the key, or null. */
export function readValue(key) {
  return withStorage((storage) => storage.getItem(key));
}

export function removeValue(key) {
  withStorage((storage) => storage.removeItem(key));
}
