/** The address of the service, with the prefix of a proxy. Scripts lie in `assets/` below it. */
export const ROOT = import.meta.env.DEV
  ? new URL('/', location.href)
  : new URL(/* @vite-ignore */ '../', import.meta.url);
