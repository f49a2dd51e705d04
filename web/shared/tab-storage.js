// Storage for this tab only, which is deleted with the tab. The browser can refuse storage. The pages then still work,
// but a reload loses the data.

/**
 * @template T
 * @param {(storage: Storage) => T} use
 */
function withStorage(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function storeValue(key, value) {
  withStorage((storage) => storage.setItem(key, value));
}

/**
 * The value stored under the key, or null.
 * @param {string} key
 */
export function readValue(key) {
  return withStorage((storage) => storage.getItem(key));
}

/** @param {string} key */
export function removeValue(key) {
  withStorage((storage) => storage.removeItem(key));
}
