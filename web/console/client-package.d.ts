/** A module that the service makes. The SHA-256 of the package of the terminal client; null if it was not built. */
export const CLIENT_SHA256: string | null;
