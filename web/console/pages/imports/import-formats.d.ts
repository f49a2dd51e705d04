/** Made by the service, so that the page needs no list of its own: the formats that can be imported. */
export const IMPORT_FORMATS: readonly { label: string; extensions: readonly string[] }[];
