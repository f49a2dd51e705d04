/** Made by the service, so that the page needs no list of its own: what each kind of event means. */
export const AUDIT_MEANINGS: Readonly<Record<string, string>>;
